# Read by driver-cc with sed -z -E: the whole file is one line, and no rewrite adds or removes a newline.

# Drivers rely on a check that `operator new` did not return null before the constructor runs. clang 14 takes a throwing
# one to be never null, deletes the driver's own check and runs the constructor on null; it accepts -fcheck-new and
# ignores it. So: noexcept, and for the one-argument form, which is special by its signature alone, the overload that
# driver-prelude.h declares. A declaration is told from a call by the type or calling convention before it. Annotations
# of its parameters may nest parentheses three deep, and comments may stand behind it.
s/(\*|\<(PVOID|LPVOID|_?_cdecl|__CRTDECL)\>)([[:space:]]*([A-Za-z_0-9]+[[:space:]]*::[[:space:]]*)*\<operator[[:space:]]+new([[:space:]]*\[[[:space:]]*\])?[[:space:]]*\(([^(),]|\(([^()]|\(([^()]|\([^()]*\))*\))*\))*)\)(([[:space:]]|\/\/[^\n]*\n|\/\*([^*]|\*+[^*\/])*\*+\/)*[;{])/\1 __attribute__((enable_if(true, "")))\3, ...) noexcept\9/g
s/((\*|\<(PVOID|LPVOID|_?_cdecl|__CRTDECL)\>)[[:space:]]*([A-Za-z_0-9]+[[:space:]]*::[[:space:]]*)*\<operator[[:space:]]+new([[:space:]]*\[[[:space:]]*\])?[[:space:]]*\(([^()]|\(([^()]|\(([^()]|\([^()]*\))*\))*\))*\))(([[:space:]]|\/\/[^\n]*\n|\/\*([^*]|\*+[^*\/])*\*+\/)*[;{])/\1 noexcept\9/g

# #pragma alloc_text(SECTION, function, …): clang 14 ignores it, so redeclare each function in its section. Static
# functions stay static, extern "C" ones stay so: a redeclaration keeps the first one's linkage.
s/#[ \t]*pragma[ \t]+alloc_text[ \t]*\([ \t]*"?([A-Za-z0-9_$.]+)"?([^()]*)\)/\x01\1\x02\2\x03/g
:name
s/\x01([^\x02]*)\x02([ \t\n\\]*),([ \t\n\\]*)([A-Za-z_0-9]+)/extern __typeof__(\4) \4 __attribute__((section("\1")));\2\3\x01\1\x02/g
tname
s/\x01[^\x02]*\x02([^\x03]*)\x03/\1/g
