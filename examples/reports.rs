//! What reports of very many findings cost: writes a made-up report in every form into a folder, and tells how long
//! each took and how much memory at most was used.
//!
//!     cargo run --release --example reports -- FOLDER [FINDINGS]

use cegas::cli::{Flavour, Invocation, parse};
use cegas::report::{self, Change, Location, Obligation, Report, Sources, Step, Verdict};
use cegas::versions::Versions;
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

/// The steps of each finding.
const STEPS: u32 = 40;

/// The lines of each file.
const LINES: u32 = 1_000;

fn place(number: u32) -> Location {
    let file = format!("src/part{}.c", number / LINES);
    let function = format!("function_{number}").into();
    Location { file: file.into(), line: number % LINES + 1, column: 5, function }
}

fn finding(number: u32) -> Obligation {
    let step = |index: u32| Step {
        location: place(number / LINES * LINES + (number + index) % LINES),
        depth: index % 5,
        text: format!("buffer[{index}] = {}", number ^ index),
        change: Some(Change {
            name: format!("buffer[{index}]"),
            value: (number ^ index).to_string(),
            object: Some(index % 7),
            function: None,
        }),
        input: None,
        left_out: 0,
    };
    let mut finding = Obligation {
        proof: None,
        rule: if number.is_multiple_of(3) { "leak" } else { "null-deref" },
        verdict: Verdict::Unsafe,
        location: place(number),
        message: "a null pointer is dereferenced".into(),
        targets: vec!["program".into()],
        silenced: None,
        assumes: Vec::new(),
        related: Vec::new(),
        trace: (0..STEPS).map(step).collect(),
    };
    finding.share_names();
    finding
}

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().expect("the folder to write into");
    let count = arguments.next().and_then(|n| n.to_str()?.parse().ok()).unwrap_or(25_000_u32);
    let folder = Path::new(&folder).canonicalize().expect("the folder is there");
    std::fs::create_dir_all(folder.join("src")).expect("a folder");
    for part in 0..=count / LINES {
        let text: String = (0..LINES).map(|n| format!("    buffer[{n}] = {part};\n")).collect();
        std::fs::write(folder.join(format!("src/part{part}.c")), text).expect("a file");
    }
    let versions = Versions::linked();
    let report = Report {
        obligations: (0..count).map(finding).collect(),
        checked: true,
        ..Report::default()
    };
    println!("the report itself: {}", memory("VmRSS"));
    for form in ["json", "sarif", "html", "junit"] {
        let options = [format!("--{form}=report.{form}")];
        let options = options.iter().map(OsString::from);
        let Ok(Invocation::Scan(settings)) = parse(Flavour::Scan, options, &folder, &versions)
        else {
            panic!("the options are right")
        };
        let start = Instant::now();
        let sources = Sources::of(&report, &folder);
        let mut settings = *settings;
        settings.quiet = true;
        report::write_files(&report, &sources, &settings, &versions).expect("it can be written");
        let size = std::fs::metadata(folder.join(format!("report.{form}"))).map_or(0, |m| m.len());
        let time = start.elapsed().as_secs_f64();
        println!("{form}: {count} findings, {time:.2} s, {:.1} MB", size as f64 / 1e6);
    }
    println!("memory at most, the report itself included: {}", memory("VmHWM"));
}

fn memory(what: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
    line.unwrap_or("?").trim().to_owned()
}
