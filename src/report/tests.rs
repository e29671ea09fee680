//! A small report told in every way.

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::cli::{Flavour, Invocation, parse};
use crate::config::Settings;
use crate::exit::Exit;
use crate::versions::Versions;

fn versions() -> Versions {
    Versions { llvm: "19.1.7".into(), z3: "4.8.12".into() }
}

fn settings(arguments: &[&str]) -> Settings {
    let arguments = arguments.iter().map(std::ffi::OsString::from);
    let root = std::path::Path::new("/");
    match parse(Flavour::Scan, arguments, root, &versions()).unwrap() {
        Invocation::Scan(settings) => *settings,
        Invocation::Print(text) => panic!("{text}"),
    }
}

fn sample() -> Report {
    Report {
        targets: vec![Target {
            name: "demo".into(),
            kind: TargetKind::Program,
            evidence: "a recorded link".into(),
            units: vec!["main.c".into(), "queue.c".into()],
            entries: Vec::new(),
            judged_in: Vec::new(),
            uncalled: Vec::new(),
            model: Some(Model {
                pointer_bits: 64,
                functions: 3,
                blocks: 1,
                instructions: 40,
                globals: 2,
                unsupported: BTreeMap::from([("inline assembly".into(), 2)]),
                externals: (0..10).map(|n| format!("ext{n}")).collect(),
            }),
            failure: None,
            missing: Vec::new(),
        }],
        failed: vec![Failed { file: "bad file.c".into(), error: "expected ';'\u{1b}[2J".into() }],
        skipped: vec![Skipped { file: "fast.s".into(), reason: "assembly".into() }],
        notes: vec![Note { about: Some("main.c".into()), text: "dropped -fplugin=x".into() }],
        ..Report::default()
    }
}

fn finding() -> Obligation {
    Obligation {
        proof: None,
        rule: "leak",
        verdict: Verdict::Unsafe,
        location: Location { file: "a.c".into(), line: 3, column: 9, function: "f".into() },
        message: "the buffer is lost".into(),
        targets: vec!["demo".into()],
        assumes: Vec::new(),
        silenced: None,
        related: Vec::new(),
        trace: Vec::new(),
    }
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> anyhow::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn sarif_text(report: &Report) -> String {
    written(|out| sarif::write(report, &Sources::default(), &settings(&[]), &versions(), out))
}

fn plain(report: &Report, arguments: &[&str]) -> String {
    let text = text::render(report, &Sources::default(), &settings(arguments));
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn text_says_what_was_done_and_what_was_not() {
    let expected = "\
bad file.c: not analysed: expected ';'\\u{1b}[2J
fast.s: skipped: assembly
main.c: note: dropped -fplugin=x

demo (program, 2 units; evidence: a recorded link)
  3 functions, 1 block, 40 instructions, 2 globals
  without a body: ext0, ext1, ext2, ext3, ext4, ext5, ext6, ext7 and 2 more
  not modelled: inline assembly (2)

verdict: unknown (1 target, models built, nothing checked, 1 unit not analysed, 1 unit skipped)
";
    assert_eq!(plain(&sample(), &[]), expected);
}

#[test]
fn text_says_what_is_unknown_and_why() {
    let reason = "the loop at a.c:2 was cut off".to_owned();
    let unknown =
        Obligation { verdict: Verdict::Unknown { reason, cause: Cause::Time }, ..finding() };
    let mut report = Report { obligations: vec![unknown; SHOWN_AND_TWO], ..Report::default() };
    for (line, obligation) in (3..).zip(&mut report.obligations) {
        obligation.location.line = line;
    }
    let text = plain(&report, &[]);
    assert!(text.contains("a.c:3:9: unknown: the loop at a.c:2 was cut off [leak]\n"), "{text}");
    let line = ":9: unknown: the loop at a.c:2 was cut off [leak]\n";
    assert_eq!(text.matches(line).count(), SHOWN_AND_TWO - 2);
    assert!(text.contains("... and 2 more unknown\n"), "{text}");
    assert!(
        text.contains("0 proved, 0 violated, 10 unknown, not everything was looked for"),
        "{text}"
    );
}

/// Two more than the report for people lists.
const SHOWN_AND_TWO: usize = 10;

#[test]
fn what_is_said_of_many_is_said_once() {
    let failed = |n| Failed { file: format!("gen{n}.c"), error: "not there".to_owned() };
    let mut report = sample();
    report.failed.extend([1, 2].map(failed));
    let text = plain(&report, &["--quiet"]);
    assert!(text.ends_with("\ngen1.c: not analysed: not there\ngen2.c: not analysed: not there\n"));
    report.failed.extend((3..1000).map(failed));
    let text = plain(&report, &["--quiet"]);
    let many = "gen1.c, gen2.c, gen3.c, gen4.c, gen5.c, gen6.c, gen7.c, gen8.c and 991 more: not analysed: not there\n";
    assert_eq!(text, format!("bad file.c: not analysed: expected ';'\\u{{1b}}[2J\n{many}"));
    assert!(plain(&report, &[]).contains("1000 units not analysed"));
}

#[test]
fn quiet_keeps_what_matters() {
    let mut report = sample();
    report.obligations.push(finding());
    let expected = "\
error[leak]: the buffer is lost
--> a.c:3:9
bad file.c: not analysed: expected ';'\\u{1b}[2J
";
    assert_eq!(plain(&report, &["--quiet"]), expected);
}

#[test]
fn json_has_the_promised_fields() {
    let json = |report: &Report| written(|out| json::write(report, &versions(), out));
    let text = json(&sample());
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["version"], 1);
    assert_eq!(value["verdict"], "unknown");
    assert_eq!(value["complete"], false);
    assert_eq!(value["obligations"], serde_json::json!([]));
    assert_eq!(value["targets"][0]["model"]["instructions"], 40);
    assert_eq!(value["failed"][0]["file"], "bad file.c");

    let mut report = sample();
    report.obligations.push(finding());
    let text = json(&report);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["verdict"], "unsafe");
    assert_eq!(value["ledger"]["rules"]["leak"]["violated"], 1);
    assert_eq!(value["ledger"]["targets"][0]["violated"], 1);
    assert_eq!(value["obligations"][0]["verdict"], "unsafe");
    assert_eq!(value["obligations"][0]["location"]["line"], 3);
}

#[test]
fn sarif_reads_back_with_its_notifications() {
    let mut report = sample();
    report.obligations.push(finding());
    let text = sarif_text(&report);
    serde_json::from_str::<serde_sarif::sarif::Sarif>(&text).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["version"], "2.1.0");
    let run = &value["runs"][0];
    assert_eq!(run["results"][0]["ruleId"], "leak");
    let index = run["results"][0]["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "leak");
    let told = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(told.len(), 4);
    let place = &told[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(place["uri"], "bad%20file.c");
}

#[test]
fn nothing_is_safe_before_it_was_checked() {
    let mut report = Report::default();
    assert_eq!((report.verdict(), report.exit(&settings(&[]))), (Overall::Unknown, Exit::Clean));
    report.checked = true;
    assert_eq!((report.verdict(), report.exit(&settings(&[]))), (Overall::Safe, Exit::Clean));
    report.failed = sample().failed;
    assert_eq!((report.verdict(), report.exit(&settings(&[]))), (Overall::Unknown, Exit::Partly));
    report.obligations.push(finding());
    assert_eq!((report.verdict(), report.exit(&settings(&[]))), (Overall::Unsafe, Exit::Findings));
}

#[test]
fn what_is_suspected_counts_on_demand() {
    let unknown = |cause: Cause| Obligation {
        verdict: Verdict::Unknown { reason: cause.name().into(), cause },
        ..finding()
    };
    let mut report = Report { checked: true, ..Report::default() };
    let exit = |report: &Report, on: &str| report.exit(&settings(&[&format!("--fail-on={on}")]));
    report.obligations = vec![unknown(Cause::Time)];
    assert_eq!(exit(&report, "warning"), Exit::Clean);
    assert_eq!(exit(&report, "unknown"), Exit::Findings);
    report.obligations.push(unknown(Cause::Doubt));
    assert_eq!((exit(&report, "error"), exit(&report, "warning")), (Exit::Clean, Exit::Findings));
    let silenced = Some(Silenced { by: SilencedBy::Settings, reason: "why".into() });
    report.obligations = vec![Obligation { silenced, ..unknown(Cause::Doubt) }];
    assert_eq!(exit(&report, "warning"), Exit::Clean);
}

#[test]
fn the_ledger_counts_by_target() {
    let mut report = sample();
    let target = report.targets[0].clone();
    let (failure, kind) = (Some("too large".to_owned()), TargetKind::Library);
    let (judged_in, uncalled) = (vec!["demo".to_owned()], vec!["f".to_owned()]);
    let lib = Target { name: "lib".into(), kind, judged_in, ..target.clone() };
    report.targets.push(Target { name: "part".into(), uncalled, ..lib.clone() });
    report.targets.push(lib);
    report.targets.push(Target { name: "other".into(), failure, ..target });
    report.obligations.push(finding());
    let text = plain(&report, &[]);
    let table = "\
target  proved  violated  unknown
demo         0         1        0
part         0         0        0  judged in demo, not analysed: 1 function that no program comes to
lib          0         0        0  judged in demo
other        0         0        0  not analysed: no model
";
    assert!(text.contains(table), "{text}");
}

#[test]
fn the_ledger_counts_by_rule_and_names_the_cheapest_step() {
    let unknown = |cause: Cause| Obligation {
        verdict: Verdict::Unknown { reason: cause.name().into(), cause },
        rule: "assertion",
        ..finding()
    };
    let silenced = Some(Silenced { by: SilencedBy::Comment, reason: "why".into() });
    let obligations = vec![
        finding(),
        Obligation { silenced, ..finding() },
        Obligation { verdict: Verdict::Safe, ..finding() },
        unknown(Cause::Time),
        unknown(Cause::Time),
        unknown(Cause::NotModelled),
    ];
    let report = Report { obligations, checked: true, ..Report::default() };
    let text = plain(&report, &["--timeout=10"]);
    let table = "\
rule       proved  violated  unknown
assertion       0         0        3  time 2, not modelled 1
leak            1         2        0  silenced 1

verdict: unsafe (0 targets, 1 proved, 2 violated, 3 unknown, 1 silenced)
2 unknown: time; try --timeout 60
";
    assert!(text.ends_with(table), "{text}");
    assert_eq!(text.matches("error[leak]").count(), 1, "{text}");
}

#[test]
fn sarif_keeps_to_githubs_limits() {
    let mut report = Report { checked: true, ..Report::default() };
    let step = Step {
        location: finding().location,
        depth: 1,
        text: "x = 1".into(),
        change: None,
        input: None,
        left_out: 0,
    };
    for line in 1..=26_000 {
        let location = Location { line, ..finding().location };
        let rule = if line > 25_990 { "null-deref" } else { "leak" };
        let trace = vec![step.clone(); 9];
        report.obligations.push(Obligation { rule, location, trace, ..finding() });
    }
    let text = sarif_text(&report);
    // Counted as text: read back, this much JSON would take a gigabyte.
    let count = |word: &str| text.matches(word).count();
    assert_eq!(count("\"ruleId\": "), 25_000);
    assert_eq!(count("\"ruleId\": \"null-deref\""), 10, "the worst are kept");
    assert_eq!(count("1000 more results are not in this file"), 1, "and the rest is told");
    let (steps, most) = (count("\"executionOrder\": "), crate::budgets::SARIF_ALL_STEPS + 50_000);
    assert!((25_000..=most).contains(&steps), "{steps} steps");
}

#[test]
fn reports_of_very_many_findings_stay_readable() {
    let change = Change { name: "x".into(), value: "1".into(), object: None, function: None };
    let step = |line: u32| Step {
        location: Location { line, ..finding().location },
        depth: 1,
        text: "x = 1".into(),
        change: Some(change.clone()),
        input: None,
        left_out: 0,
    };
    let mut report = Report { checked: true, ..Report::default() };
    for line in 1..=25_000 {
        let location = Location { line, ..finding().location };
        let trace = (0..20).map(step).collect();
        report.obligations.push(Obligation { location, trace, ..finding() });
    }
    let lines = "    buffer[1] = 2;\n".repeat(25_000);
    let sources = Sources::from_texts(&[("a.c", &lines)]);
    let mut page = Vec::new();
    html::write(&report, &sources, &settings(&[]), &versions(), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert_eq!(page.matches("\"message\":").count(), crate::budgets::HTML_FINDINGS);
    assert!(page.contains("\"left_out\":20000") && page.len() < 40_000_000, "{}", page.len());
    assert_eq!(annotations::render(&report, &Sources::default()).lines().count(), 25_000);
    let mut cases = Vec::new();
    junit::write(&report, &mut cases).unwrap();
    let cases = String::from_utf8(cases).unwrap();
    assert_eq!(cases.matches("<failure ").count(), 25_000);
}

#[test]
fn what_is_silenced_needs_no_next_step() {
    let verdict = Verdict::Unknown { reason: "time".into(), cause: Cause::Time };
    let mut report = Report { checked: true, ..Report::default() };
    report.obligations.push(Obligation { verdict, ..finding() });
    let step = |report: &Report| ledger::next_step(report, &settings(&[]));
    assert!(step(&report).is_some_and(|step| step.starts_with("1 unknown: time")));
    let by = SilencedBy::Comment;
    report.obligations[0].silenced = Some(Silenced { by, reason: "slow".into() });
    assert_eq!(step(&report), None);
}
