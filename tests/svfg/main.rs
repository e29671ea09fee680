//! The value-flow graph, its slices, the spatial flow graph and the demand query on small programs whose answer
//! can be seen by looking.

#[path = "../compiled/mod.rs"]
mod compiled;
#[path = "../tool/mod.rs"]
mod tool;

use cegas::ir::{Callee, Inst, InstId, Program};
use cegas::pta::PointsTo;
use cegas::rules;
use cegas::svfg::{Options, Svfg, demand};
use cegas::{pta, sfg, svfg};
use insta::assert_snapshot;

struct Built {
    text: &'static str,
    program: Program,
    answer: PointsTo,
    graph: Svfg,
}

fn build(text: &'static str, options: Options) -> Built {
    let program = compiled::program(text);
    let answer = pta::analyse(&program, &pta::Options::default());
    let graph = svfg::build(&program, &answer, options);
    Built { text, program, answer, graph }
}

impl Built {
    /// The instructions of a kind in the line that ends with the comment.
    fn at(&self, mark: &str, wanted: fn(&Inst) -> bool) -> InstId {
        let line = self.text.lines().position(|line| line.ends_with(mark)).expect("the mark") + 1;
        let here = |inst: &InstId| {
            self.program.loc(*inst).is_some_and(|loc| loc.line as usize == line)
                && wanted(self.program.inst(*inst))
        };
        self.program.insts.keys().find(here).expect("an instruction there")
    }

    /// The lines of which something is in the backward slice of what the marked store stores.
    fn backward(&self, mark: &str) -> Vec<u32> {
        let store = self.at(mark, |inst| matches!(inst, Inst::Store { .. }));
        let slice = self.graph.backward(&self.program, store);
        assert!(slice.matched);
        let stores = slice.insts(&self.program, &self.graph);
        let mut lines: Vec<u32> = stores
            .into_iter()
            .filter(|&inst| matches!(self.program.inst(inst), Inst::Store { .. }))
            .filter_map(|inst| self.program.loc(inst))
            .map(|loc| loc.line)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

const SMALL: &str = "\
struct pair { int a, b; };
static struct pair s;
static int sum;
static void add(int *to, int by) { *to += by; }
int main(int argc, char **argv) {
  int *p = argc > 1 ? &s.a : &s.b;
  *p = 4;
  for (int i = 0; i < s.a; i++)
    add(&sum, i);
  return sum;
}
";

#[test]
fn the_graph_of_a_small_program() {
    let built = build(SMALL, Options::default());
    assert_snapshot!("graph", svfg::dump::text(&built.program, &built.answer, &built.graph));
    let dot = svfg::dump::dot(&built.program, &built.graph);
    assert!(dot.starts_with("digraph svfg {") && dot.ends_with("}\n"), "{dot}");
}

#[test]
fn the_spatial_flow_graph_of_an_assertion() {
    let text = "\
void svf_assert(int);
int __VERIFIER_nondet_int(void);
int printf(const char *, ...);
static int log, state;
static void note(int n) { for (int i = 0; i < n; i++) log += i; }
int main(void) {
  int input = __VERIFIER_nondet_int();
  note(input);
  if (input > 3) {
    state = 1;
    log = 2;
  }
  if (log) printf(\"%d\\n\", log);
  svf_assert(state == 0);
  log = 5;
  return log;
}
";
    let built = build(text, Options { fields: false });
    let callers = sfg::callers(&built.program, &built.answer);
    let cutter = sfg::Cutter::new(&built.program, &built.answer, &built.graph, &callers);
    let [obligation] = rules::mark(&built.program, &["assertion"], &[])[..] else { panic!("one") };
    let cut = cutter.cut(&obligation).expect("a cut");
    let text = sfg::dump::text(&built.program, &built.graph, &cut);
    assert!(!text.contains("note") && !text.contains("printf"), "{text}");
    assert_snapshot!("cut", text);
    let dot = sfg::dump::dot(&built.program, &built.graph, &cut);
    assert!(dot.starts_with("digraph sfg_") && dot.ends_with("}\n"), "{dot}");
}

#[test]
fn a_strong_update_ends_what_was_there() {
    let built = build(
        "static int x, y, out;
int main(int argc, char **argv) {
  x = argc;
  y = 7;
  x = y + 1;
  out = x; // here
  return out;
}
",
        Options::default(),
    );
    assert_eq!(built.backward("// here"), [4, 5]);
}

#[test]
fn fields_are_told_apart_if_asked_for() {
    let text = "struct two { int *a, *b; };
static struct two t;
static int x, y, *out;
int main(void) {
  t.a = &x;
  t.b = &y;
  out = t.b; // here
  return *out;
}
";
    assert_eq!(build(text, Options::default()).backward("// here"), [6]);
    assert_eq!(build(text, Options { fields: false }).backward("// here"), [5, 6]);
}

#[test]
fn calls_and_returns_match() {
    let built = build(
        "static int a, b, c, d;
static int next(int v) { return v + 1; }
int main(int argc, char **argv) {
  a = argc;
  b = argc + 1;
  int r = next(a);
  c = next(b);
  d = r; // here
  return 0;
}
",
        Options::default(),
    );
    // `next(b)` is a call of the same function, but not the one that gave `r`.
    assert_eq!(built.backward("// here"), [4]);
}

#[test]
fn forward_from_an_allocation() {
    let built = build(
        "#include <stdlib.h>
static int *kept, *other, seen, unseen;
static void keep(int *p) { kept = p; }
int main(void) {
  int *p = malloc(4); // here
  int *q = malloc(4);
  keep(p);
  other = q;
  seen = *kept; // seen
  unseen = *other; // unseen
  return 0;
}
",
        Options::default(),
    );
    let call = built.at("// here", |inst| matches!(inst, Inst::Call { .. }));
    let slice = built.graph.forward(&built.program, call);
    let is_load = |inst: &Inst| matches!(inst, Inst::Load { .. });
    let reached = |mark| {
        let node = built.graph.inst(&built.program, built.at(mark, is_load));
        slice.contains(node.expect("a node"))
    };
    assert!(reached("// seen"));
    assert!(!reached("// unseen"));
}

#[test]
fn functions_know_what_they_change() {
    let built = build(
        "static int a, b;
static void low(int *p) { *p = 1; }
static void high(void) { int own; low(&own); low(&a); }
static int reader(void) { return b; }
int main(void) { high(); return reader(); }
",
        Options::default(),
    );
    let changed = |name: &str| {
        let func = built.program.func_by_name(name).expect("a function");
        let cells = built.graph.modified(func);
        let mut names: Vec<String> = cells
            .map(|cell| built.graph.cells[cell].object)
            .map(|object| pta::dump::object_name(&built.program, &built.answer, object))
            .collect();
        names.sort();
        names
    };
    assert_eq!(changed("reader"), Vec::<String>::new());
    assert_eq!(changed("low").len(), 2);
    // Its own variable is nobody else's business.
    assert_eq!(changed("high"), ["global a"]);
}

const PATHS: &str = "\
void MUSTALIAS(void *, void *);
void NOALIAS(void *, void *);
static int x, y;
static void set(int **to, int *what) { *to = what; }
int main(int argc, char **argv) {
  int *p, *q, **r;
  set(&p, &x);
  set(&q, &y);
  NOALIAS(p, q);
  r = argc > 1 ? &p : &q;
  if (argc > 1)
    *r = &y;
  else
    *r = &x;
  MUSTALIAS(p, argc > 1 ? &y : &x);
  NOALIAS(p, argc > 1 ? &x : &y);
  p = &x;
  NOALIAS(p, &y);
  while (argc-- > 0)
    p = &y;
  NOALIAS(p, &argc);
  return 0;
}
";

#[test]
fn paths_say_more_than_andersen() {
    let straight = PATHS.replace("while (argc-- > 0)", "if (argc > 0)");
    let program = compiled::program(&straight);
    let answer = pta::analyse(&program, &pta::Options::default());
    let checks = pta::alias_checks::judge(&program, &answer);
    let relations = demand::judge::judge(&program, &answer, &checks);
    let lines: Vec<String> = checks
        .iter()
        .zip(&relations)
        .map(|(check, relation)| format!("{} {relation}", check.kind))
        .collect();
    assert_eq!(
        lines,
        ["NOALIAS apart", "MUSTALIAS same", "NOALIAS apart", "NOALIAS apart", "NOALIAS apart"]
    );
}

#[test]
fn nothing_is_claimed_where_paths_are_left_out() {
    let program = compiled::program(PATHS);
    let answer = pta::analyse(&program, &pta::Options::default());
    let checks = pta::alias_checks::judge(&program, &answer);
    let relations = demand::judge::judge(&program, &answer, &checks);
    assert!(relations.iter().all(|relation| *relation == demand::judge::Relation::Open));
}

#[test]
fn a_query_follows_its_path() {
    let built = build(
        "void NOALIAS(void *, void *);
static int x, y;
static void set(int **to, int *what) { *to = what; }
int main(int argc, char **argv) {
  int *p;
  if (argc > 1)
    set(&p, &x);
  else
    set(&p, &y);
  NOALIAS(p, 0);
  return 0;
}
",
        Options::default(),
    );
    let program = &built.program;
    let main = program.func_by_name("main").expect("main");
    let set = program.func_by_name("set").expect("set");
    let into = program.funcs[set].blocks.first().expect("a block");
    let entry = program.funcs[main].blocks.first().expect("a block");
    let check = built.at("NOALIAS(p, 0);", |inst| matches!(inst, Inst::Call { .. }));
    let Inst::Call { callee: Callee::Direct(_), args } = *program.inst(check) else { panic!() };
    let pointer = program.operands(args)[0];
    let mut found = Vec::new();
    for way in program.successors(entry) {
        let path = [entry, way, into, program.successors(way)[0]];
        let (answer, graph) = (&built.answer, &built.graph);
        let places = demand::query(program, answer, graph, &path, check, pointer);
        let [demand::Place::At { instance: demand::Origin::Global(global), offset: 0 }] =
            places.as_deref().expect("an answer")
        else {
            panic!("{places:?}")
        };
        found.push(program.globals[*global].name.clone());
    }
    assert_eq!(found, ["x", "y"]);
}

#[test]
fn the_tool_shows_them() {
    let place = tool::Place::new();
    place.write("a.c", PATHS.replace("while (argc-- > 0)", "if (argc > 0)").as_str());
    place.write("b.c", "#include <assert.h>\nint main(int c, char **v) { assert(c); }\n");
    let said = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        place.scan(&arguments).out
    };
    assert!(said(&["--dump=svfg", "a.c"]).contains("actual-out"));
    assert!(said(&["--dump=svfg", "--dump-format=dot", "a.c"]).starts_with("digraph svfg {"));
    assert!(said(&["--dump=sfg", "--rules=assertion", "b.c"]).starts_with("obligation "));
    let dot = said(&["--dump=sfg", "--rules=assertion", "--dump-format=dot", "b.c"]);
    assert!(dot.starts_with("digraph sfg_"), "{dot}");
    // The second column of the judged annotations.
    let judged = said(&["--dump=alias-checks", "a.c"]);
    assert_eq!(judged.lines().filter(|line| line.ends_with("  apart")).count(), 4, "{judged}");
    assert_eq!(judged.lines().filter(|line| line.ends_with("  same")).count(), 1, "{judged}");
}
