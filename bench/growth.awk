# Reads what bench/results.awk wrote and prints how the cost of one operation grows with how many things are live: a row
# for each benchmark named growth_WHAT/COUNT that ran with 1 thousand, 100 thousand and 1 million of them.
#   what, the three times in ns, the last divided by the first, and whether that is at most 1.5
# Writes the same to the file `table`, as comma-separated values.
function number(x) { return x == "" ? "-" : sprintf(x < 10 ? "%.2f" : "%.1f", x) }

$1 == "ok" && $2 ~ /^growth_[a-z_]+\/[0-9]+(\/[a-z_:0-9]+)*$/ {
  split($2, parts, "/")
  what = parts[1]
  sub(/^growth_/, "", what)
  if (!(what in known)) { known[what] = 1; order[++count] = what }
  taken[what, parts[2]] = $3
}
END {
  budget = 1.5
  print "what,ns_1000,ns_100000,ns_1000000,ratio,budget,verdict" > table
  if (count) printf "%-36s %12s %12s %12s %8s  %s\n", "growth (live)", "1 k", "100 k", "1 M", "ratio", "verdict"
  for (i = 1; i <= count; ++i) {
    what = order[i]
    few = taken[what, 1000]; some = taken[what, 100000]; many = taken[what, 1000000]
    ratio = few != "" && many != "" && few > 0 ? many / few : ""
    verdict = ratio == "" ? "not run" : ratio <= budget ? "met" : "missed"
    gsub(/_/, " ", what)
    printf "%-36s %12s %12s %12s %8s  %s\n", what, number(few), number(some), number(many),
      ratio == "" ? "-" : sprintf("%.2f", ratio), verdict
    printf "%s,%s,%s,%s,%s,%s,%s\n", what, few, some, many, ratio == "" ? "" : sprintf("%.3f", ratio), budget, verdict > table
  }
}
