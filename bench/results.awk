# Reads Google Benchmark's JSON files, one field a line, and prints what each benchmark took.
#   ok NAME NANOSECONDS            the time of one iteration
#   ok NAME#COUNTER VALUE          a counter of it, as the benchmark set it
#   failed NAME: SENTENCE          it ended with an error
# The CPU time counts, since others may be using the processors. It is the real time where the name says so: there
# several threads work together, or the benchmark measures by itself.
function value(line) {
  sub(/^[^:]*": /, "", line)
  sub(/,$/, "", line)
  gsub(/^"|"$/, "", line)
  return line
}
function field(line) {
  sub(/^ *"/, "", line)
  sub(/".*/, "", line)
  return line
}
function in_ns(time, unit) { return time * (unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1) }

FNR == 1 { inside = 0 }
/^  "benchmarks": \[/ { inside = 1 }
!inside { next }
/^    {/ { name = ""; split("", got) }
/^      "/ {
  # A name may hold a colon, so the quoted value is taken from behind the first `": `.
  if (field($0) == "name") name = value($0)
  else got[field($0)] = value($0)
}
/^    }/ {
  if (name in seen) {
    printf "failed %s: two benchmarks have this name\n", name
  } else if ("error_message" in got) {
    printf "failed %s: %s\n", name, got["error_message"]
  } else {
    clock = name ~ /\/(real|manual)_time$/ ? "real_time" : "cpu_time"
    printf "ok %s %.6g\n", name, in_ns(got[clock], got["time_unit"])
    for (key in got) if (!(key in known)) printf "ok %s#%s %.6g\n", name, key, got[key]
  }
  seen[name] = 1
}
BEGIN {
  # What the library writes for every benchmark; the rest are counters.
  split("family_index per_family_instance_index run_name run_type repetitions repetition_index threads iterations " \
        "real_time cpu_time time_unit label items_per_second bytes_per_second", words, " ")
  for (i in words) known[words[i]] = 1
}
