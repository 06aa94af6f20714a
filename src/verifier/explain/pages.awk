# pages.csv (name,header,page,irql,since) as rows of an include file: PAGE(name, path, irql, since)
BEGIN { FS = "," }
NR == 1 { next }
NF != 5 { printf "pages.csv:%d: %d columns instead of 5\n", NR, NF > "/dev/stderr"; exit 1 }
{
  kind = substr($3, 1, 2)
  printf "PAGE(\"%s\", \"ddi/%s/%s-%s-%s\", \"%s\", \"%s\")\n", $1, $2, kind, $2, substr($3, 4), $4, $5
}
