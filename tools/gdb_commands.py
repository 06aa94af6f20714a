# The commands that `drydock replay --gdb` adds to gdb. They ask the program (src/host/run/debug_threads.h) and read plain
# memory, so that they need no debug information.
import struct

import gdb

LAYOUT = struct.Struct("<QQQQII")  # host::DebugThread
LEVELS = {0: "PASSIVE_LEVEL", 1: "APC_LEVEL", 2: "DISPATCH_LEVEL", 13: "CLOCK_LEVEL", 15: "HIGH_LEVEL"}


def text_at(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string() if address else ""


def nt_threads():
    """Every thread of the machine: (ordinal, name, state, routine, irql, frame)."""
    asked = gdb.parse_and_eval("((unsigned long (*)(void))drydock_debug_threads)()")
    address = int(asked)
    if not address:
        raise gdb.GdbError("this thread belongs to no simulated machine")
    found = []
    while True:
        memory = gdb.selected_inferior().read_memory(address, LAYOUT.size)
        name, state, routine, frame, ordinal, irql = LAYOUT.unpack(bytes(memory))
        if not name:
            return found
        found.append((ordinal, text_at(name), text_at(state), text_at(routine), irql, frame))
        address += LAYOUT.size


class NtThreads(gdb.Command):
    """nt-threads: the threads of the simulated machine, with their IRQL and the driver's routine they are in."""

    def __init__(self):
        super().__init__("nt-threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for ordinal, name, state, routine, irql, _ in nt_threads():
            mark = "*" if state == "runs" else " "
            where = " in " + routine if routine else ""
            gdb.write(f"{mark} {ordinal:<3} '{name}' {state} at {LEVELS.get(irql, 'IRQL ' + str(irql))}{where}\n")


class NtBacktrace(gdb.Command):
    """nt-bt [N]: the stack of thread N of the simulated machine; without N, of the one that runs."""

    def __init__(self):
        super().__init__("nt-bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not argument:
            gdb.execute("backtrace")
            return
        for ordinal, name, state, _, _, frame in nt_threads():
            if str(ordinal) != argument.strip():
                continue
            gdb.write(f"thread {ordinal} '{name}' {state}\n")
            if state == "runs":
                gdb.execute("backtrace")
            elif frame:
                self.backtrace_from(frame)
            else:
                gdb.write("it has not begun\n")
            return
        raise gdb.GdbError(f"there is no thread {argument.strip()}; nt-threads lists them")

    # As if the function that saved this frame pointer had just returned.
    def backtrace_from(self, frame):
        outer, resume = struct.unpack("<QQ", bytes(gdb.selected_inferior().read_memory(frame, 16)))
        gdb.execute("frame 0", to_string=True)
        kept = {name: int(gdb.parse_and_eval("(unsigned long)$" + name)) for name in ("rsp", "rbp", "rip")}
        try:
            for name, value in (("rsp", frame + 16), ("rbp", outer), ("rip", resume)):
                gdb.execute(f"set ${name} = {value}", to_string=True)
            gdb.execute("backtrace")
        finally:
            for name, value in kept.items():
                gdb.execute(f"set ${name} = {value}", to_string=True)


NtThreads()
NtBacktrace()
gdb.write("nt-threads lists the machine's threads, nt-bt N shows the stack of one\n")
