#pragma once

namespace CLI {
class App;
}

namespace tools {

// Each adds its subcommand to the program and runs from its callback; `exit_code` receives the outcome.
void add_capture(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_render(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_rules(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_trace_dump(CLI::App& app, int& exit_code);

}  // namespace tools
