# Reads what bench/results.awk wrote and then bench/targets.csv, and prints a row for each target:
#   what was measured, its time, the time of its floor in the same run, their ratio, the budget, and whether it is met
# A budget is a number of nanoseconds, or a multiple of the floor ("2x"), or empty: then there is nothing to miss.
# Writes to the file `totals`: a line with how many are met and missed, and a line with all times as name=ns;…
function number(x) { return x == "" ? "-" : sprintf(x < 10 ? "%.2f" : "%.1f", x) }

FILENAME == ARGV[1] {
  if ($1 == "ok") taken[$2] = $3
  next
}
FNR == 1 {
  FS = ","
  printf "%-52s %12s %12s %8s %9s  %s\n", "what", "ns", "floor ns", "ratio", "budget", "verdict"
  next
}
{
  what = $1; benchmark = $2; per = $3; floor_name = $4; floor_per = $5; budget = $6; comment = $7
  time = floor = ratio = ""
  if (benchmark in taken) time = taken[benchmark] / per
  if (floor_name in taken) floor = taken[floor_name] / floor_per
  if (time != "" && floor != "" && floor > 0) ratio = time / floor
  verdict = "no budget"
  if (time == "") {
    verdict = "not run"
  } else if (budget ~ /x$/) {
    if (ratio == "") verdict = "floor not run"
    else verdict = ratio <= substr(budget, 1, length(budget) - 1) + 0 ? "met" : "missed"
  } else if (budget != "") {
    verdict = time <= budget + 0 ? "met" : "missed"
  }
  if (verdict == "met") ++met
  if (verdict == "missed") ++missed
  if (time != "") measured = measured (measured == "" ? "" : ";") benchmark "=" sprintf("%.4g", time)
  printf "%-52s %12s %12s %8s %9s  %s%s\n", what, number(time), number(floor), ratio == "" ? "-" : sprintf("%.2f", ratio),
    budget == "" ? "-" : budget, verdict, comment == "" ? "" : "  (" comment ")"
}
END {
  printf "\n%d met, %d missed\n", met, missed
  printf "%d %d\n%s\n", met, missed, measured > totals
}
