# layouts.csv -> layouts.inc: one TYPE(line, type, size) or FIELD(line, type, field, offset, size) per row.
BEGIN { FS = "," }
NR == 1 {
  if ($0 != "type,field,offset,size,source") { print FILENAME ": unexpected head: " $0 > "/dev/stderr"; exit 1 }
  next
}
NF != 5 || $5 == "" { print FILENAME ":" NR ": a row needs a type, a field or nothing, an offset, a size and a source" > "/dev/stderr"; exit 1 }
$2 == "" { printf "TYPE(%d, %s, %s)\n", NR, $1, $4; next }
{ printf "FIELD(%d, %s, %s, %s, %s)\n", NR, $1, $2, $3, $4 }
