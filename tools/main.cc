// drydock: runs Windows drivers on Linux and says which rule they broke.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/check.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "tools/reexec.h"

int main(int argc, char** argv) {
  tools::remember_arguments(argc, argv);
  base::set_check_hook([] { _exit(tools::kOurFault); });
  CLI::App app{"Runs Windows drivers on Linux, in user mode, and says which rule they broke."};
  app.set_version_flag("--version", "drydock " DRYDOCK_VERSION);
  app.require_subcommand(1);
  int exit_code = tools::kNothingFound;
  tools::add_check(app, exit_code);
  tools::add_explain(app, exit_code);
  tools::add_render(app, exit_code);
  tools::add_capture(app, exit_code);
  tools::add_replay(app, exit_code);
  tools::add_rules(app, exit_code);
  tools::add_run(app, exit_code);
  tools::add_trace_dump(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? tools::kNothingFound : tools::kUsage;
  }
  return exit_code;
}
