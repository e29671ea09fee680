//! The shell steps of the GitHub Action, run as a runner runs them. Its other steps are GitHub's own; what they are given
//! is checked by `integration/github-action/check.py`.

mod tool;

use serde_yaml_ng::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tool::{Place, Ran, ran};

const BAD: &str = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 2); return 0; }\n";

/// One job: a workspace, a home with the tool in it, and what the steps have put out so far.
struct Job {
    place: Place,
    inputs: BTreeMap<String, String>,
    outputs: BTreeMap<String, String>,
}

impl Job {
    fn new(inputs: &[(&str, &str)]) -> Job {
        let place = Place::new();
        let bin = place.cache().join("home/.cargo/bin");
        fs::create_dir_all(&bin).unwrap();
        for program in ["cegas-scan", "cargo-cegas"] {
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cegas-scan"), bin.join(program))
                .unwrap();
        }
        let defaults = action()["inputs"].as_mapping().unwrap().clone();
        let default = |input: &Value| input["default"].as_str().unwrap().to_owned();
        let mut all: BTreeMap<String, String> = defaults
            .iter()
            .map(|(name, input)| (name.as_str().unwrap().to_owned(), default(input)))
            .collect();
        for (name, value) in inputs {
            assert!(all.insert((*name).into(), (*value).into()).is_some(), "no input {name}");
        }
        Job { place, inputs: all, outputs: BTreeMap::new() }
    }

    fn temp(&self) -> PathBuf {
        self.place.cache().join("temp")
    }

    /// The expressions that the action uses, and no other.
    fn value(&self, expression: &str) -> String {
        let known = expression.strip_prefix("inputs.").and_then(|name| self.inputs.get(name));
        let known = known.or_else(|| self.outputs.get(expression));
        known.unwrap_or_else(|| panic!("what is {expression}?")).clone()
    }

    fn expand(&self, text: &str) -> String {
        let mut parts = text.split("${{");
        let mut all = parts.next().unwrap().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").unwrap();
            all += &self.value(expression.trim());
            all += rest;
        }
        all
    }

    fn is_wanted(&self, condition: &str) -> bool {
        condition.split(" && ").all(|part| {
            let (value, wanted) = part.split_once(" == ").unwrap();
            self.value(value) == wanted.trim_matches('\'')
        })
    }

    /// Runs the shell steps up to the first that fails; which one that is, and what was said.
    fn run(&mut self) -> (Option<String>, String) {
        let temp = self.temp();
        fs::create_dir_all(&temp).unwrap();
        let mut said = String::new();
        for step in action()["runs"]["steps"].as_sequence().unwrap() {
            let Some(script) = step["run"].as_str() else { continue };
            assert!(!script.contains("${{"), "values never become part of a script");
            if step["if"].as_str().is_some_and(|condition| !self.is_wanted(condition)) {
                continue;
            }
            let Ran { code, out, err } = self.step(step, script);
            said += &out;
            said += &err;
            if code != Some(0) {
                return (Some(step["name"].as_str().unwrap().to_owned()), said);
            }
            let written = fs::read_to_string(temp.join("output")).unwrap();
            let id = step["id"].as_str().unwrap_or_default();
            for (name, value) in written.lines().filter_map(|line| line.split_once('=')) {
                self.outputs.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
        }
        (None, said)
    }

    fn step(&self, step: &Value, script: &str) -> Ran {
        let (temp, home) = (self.temp(), self.place.cache().join("home"));
        fs::write(temp.join("step.sh"), script).unwrap();
        fs::write(temp.join("output"), "").unwrap();
        let mut command = self.place.command_of(Path::new("bash"));
        let path = std::env::var("PATH").unwrap();
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(temp.join("step.sh"))
            .env("PATH", format!("{}:{path}", home.join(".cargo/bin").display()))
            .env("GITHUB_ACTION_PATH", root().join("integration/github-action"))
            .env("GITHUB_OUTPUT", temp.join("output"))
            .env("GITHUB_WORKSPACE", self.place.dir())
            .env("RUNNER_TEMP", &temp);
        for (name, value) in step["env"].as_mapping().into_iter().flatten() {
            command.env(name.as_str().unwrap(), self.expand(value.as_str().unwrap()));
        }
        ran(&mut command)
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn action() -> Value {
    let text = fs::read_to_string(root().join("integration/github-action/action.yml")).unwrap();
    serde_yaml_ng::from_str(&text).unwrap()
}

#[test]
fn a_build_is_recorded_and_findings_are_told() {
    let options = "--rules=assertion\n--timeout 5";
    let mut job =
        Job::new(&[("build", "cc -c 'a b.c' && cc *.o -o program"), ("options", options)]);
    job.place.write("a b.c", BAD);
    let (failed, said) = job.run();
    assert_eq!(failed, None, "{said}");
    assert!(said.contains("::error file=a b.c,line=2"), "{said}");
    assert_eq!(job.value("steps.scan.outputs.code"), "1");
    let sarif = fs::read_to_string(job.value("steps.scan.outputs.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["automationDetails"]["id"], "cegas-scan/");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1, "{sarif}");
    let tool = Path::new(&job.value("steps.tool.outputs.root")).canonicalize().unwrap();
    assert_eq!(tool, root().canonicalize().unwrap());
    assert_eq!(job.value("steps.tool.outputs.digest").len(), 20);
}

#[test]
fn findings_fail_the_job_if_that_is_asked_for() {
    for (fail, text, wanted) in [
        ("true", BAD, Some("Findings fail the job")),
        ("true", &BAD.replace("x == 2", "x == 1"), None),
        ("false", BAD, None),
    ] {
        let mut job = Job::new(&[("fail", fail), ("options", "--rules=assertion")]);
        job.place.write("a.c", text);
        let entry = serde_json::json!([{
            "directory": job.place.dir(), "file": "a.c", "arguments": ["cc", "-c", "a.c"]
        }]);
        job.place.write("compile_commands.json", &entry.to_string());
        let (failed, said) = job.run();
        assert_eq!(failed.as_deref(), wanted, "{said}");
    }
}

#[test]
fn a_scan_that_could_not_be_done_fails_the_job() {
    let mut job = Job::new(&[("options", "--no-such-option")]);
    job.place.write("a.c", BAD);
    let (failed, said) = job.run();
    assert_eq!(failed.as_deref(), Some("Scan"), "{said}");
    let mut hostile = Job::new(&[("category", "$(touch x); `touch x`"), ("build", "false")]);
    let (failed, said) = hostile.run();
    assert!(failed.is_some(), "{said}");
    assert!(hostile.place.names().is_empty(), "{:?}", hostile.place.names());
}
