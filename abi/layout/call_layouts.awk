# layouts.csv -> call_layouts.inc: the fields of every structure in order, then where each structure's begin.
BEGIN { FS = "," }
NR == 1 { next }
$2 == "" { type = $1; order[++types] = type; first[type] = fields + 0; next }
$1 != type { print FILENAME ":" NR ": the rows of " $1 " do not lie together" > "/dev/stderr"; exit 1 }
{ ++fields; ++count[$1]; printf "FIELD(\"%s\", %s, %s)\n", $2, $3, $4 }
END { for (i = 1; i <= types; ++i) printf "STRUCTURE(\"%s\", %d, %d)\n", order[i], first[order[i]], count[order[i]] }
