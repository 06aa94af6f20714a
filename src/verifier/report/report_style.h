#pragma once

namespace verifier {

// The look of the HTML report. Light and dark follow the reader's system. Colour-blind readers can distinguish the
// charts' colours, which have enough contrast on both backgrounds.
inline constexpr const char* kReportStyle = R"(
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --edge: #d8dce2; --ink: #1c2128; --quiet: #59636e;
  --error: #b42318; --warning: #8a5a00; --good: #1a7f37; --link: #0b57d0;
  --s0: #2f6fde; --s1: #d9730d; --s2: #1f9d78; --s3: #b5449c; --s4: #7a6ff0; --s5: #8c8100;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --raised: #1d2127; --edge: #363d46; --ink: #e6e9ee; --quiet: #9aa4b0;
    --error: #ff8a80; --warning: #f0b84d; --good: #6fcf8a; --link: #8ab4f8;
    --s0: #6ea0ff; --s1: #ff9a4d; --s2: #4fcfa6; --s3: #e783cf; --s4: #a9a1ff; --s5: #d1c34a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .8rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
a { color: var(--link); }
p { margin: .4rem 0; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--ground); border: 1px solid var(--edge); border-radius: 6px; padding: .6rem .8rem; margin: .3rem 0;
  overflow-x: auto; }
.quiet { color: var(--quiet); }
.error { color: var(--error); } .warning { color: var(--warning); } .good { color: var(--good); }
.counts { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1rem 0; padding: 0; list-style: none; }
.counts li { background: var(--raised); border: 1px solid var(--edge); border-radius: 8px; padding: .5rem 1rem; }
.counts b { display: block; font-size: 1.4rem; }
details.finding { background: var(--raised); border: 1px solid var(--edge); border-left: 4px solid var(--error);
  border-radius: 6px; margin: .7rem 0; padding: .6rem 1rem; }
details.finding.is-warning { border-left-color: var(--warning); }
details.finding > summary { cursor: pointer; }
.rule { font-weight: 600; }
.sentence { font-size: 1.05rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .6rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
h4 { font-size: .9rem; margin: .9rem 0 .2rem; color: var(--quiet); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem 1.4rem .3rem 0; border-bottom: 1px solid var(--edge); vertical-align: top; }
th { color: var(--quiet); font-weight: 500; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
svg text.label { font: 11px system-ui, sans-serif; fill: var(--quiet); }
svg line.axis { stroke: var(--quiet); stroke-width: 1; } svg line.grid { stroke: var(--edge); stroke-width: 1; }
.s0 { fill: var(--s0); stroke: var(--s0); } .s1 { fill: var(--s1); stroke: var(--s1); }
.s2 { fill: var(--s2); stroke: var(--s2); } .s3 { fill: var(--s3); stroke: var(--s3); }
.s4 { fill: var(--s4); stroke: var(--s4); } .s5 { fill: var(--s5); stroke: var(--s5); }
rect.s0, rect.s1, rect.s2, rect.s3, rect.s4, rect.s5 { stroke: none; }
path.area { fill-opacity: .18; stroke: none; } path.line { fill: none; stroke-width: 1.5; }
)";

}  // namespace verifier
