//! What must not be settled: programs in `tests/prefilter/*.c` in which something looks like what the prefilter knows and is
//! not. Each line that ends in `// OPEN: rule` can violate that rule in some execution, so an obligation of the rule must be
//! left there.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

const MARK: &str = "// OPEN: ";

fn left(file: &std::path::Path) -> BTreeSet<(usize, String)> {
    let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
        .args(["--no-cache", "-q", "--dump=prefilter"])
        .arg(file)
        .output()
        .expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
    let left = said.lines().filter_map(|line| {
        let rest = line.split_once(&format!("{name}:"))?.1;
        let (number, rest) = rest.split_once(": ")?;
        let (rule, _) = rest.split_once(": ")?;
        Some((number.parse().ok()?, rule.to_owned()))
    });
    left.collect()
}

#[test]
fn what_can_be_violated_is_left() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut files: Vec<_> = fs::read_dir("tests/prefilter")
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        let left = left(&file);
        for (line, number) in text.lines().zip(1..) {
            let Some((code, rule)) = line.split_once(MARK) else { continue };
            count += 1;
            if !left.contains(&(number, rule.trim().to_owned())) {
                wrong.push(format!("{}:{number}: {rule}: {}", file.display(), code.trim()));
            }
        }
    }
    assert!(count > 100, "only {count} lines are marked");
    assert!(wrong.is_empty(), "settled, and can be violated:\n{}", wrong.join("\n"));
}
