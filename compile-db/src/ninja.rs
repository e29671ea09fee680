//! Reads `build.ninja` as far as it takes to know the command of every edge.
//!
//! Invariant: a subset of ninja's language, read leniently; what is not understood yields no command. Nothing is run, and
//! no definition makes the reading endless.

use crate::words;
use std::{
    cell::Cell,
    collections::HashMap,
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// Files that include each other end here; CMake needs two levels.
const MAX_DEPTH: usize = 8;
/// Variables inside variables inside variables.
const MAX_NESTING: usize = 32;
/// Bytes that may be written for each byte read: real manifests need a few, definitions that double have no end.
const GROWTH: usize = 256;
/// What replacing a variable costs even if it is empty, in bytes.
const REPLACING: usize = 64;

type Variables = HashMap<Vec<u8>, Vec<u8>>;

#[derive(Default)]
struct Manifest {
    variables: Variables,
    rules: HashMap<Vec<u8>, Variables>,
    edges: Vec<Edge>,
    /// Bytes that may still be written.
    budget: Cell<usize>,
}

struct Edge {
    rule: Vec<u8>,
    /// The edge's own variables, `in` and `out` among them.
    variables: Variables,
}

/// The commands of all edges that `wanted` picks, split into words, and at `&&` and `;`.
pub(crate) fn commands(
    file: &Path,
    wanted: impl Fn(&[OsString]) -> bool,
) -> Option<Vec<Vec<OsString>>> {
    let mut manifest = Manifest::default();
    manifest.read(file, 0)?;
    let mut commands = Vec::new();
    for words in manifest.edges.iter().filter_map(|edge| manifest.command(edge)) {
        let parts = words.split(|word| word == "&&" || word == ";");
        commands.extend(parts.filter(|part| wanted(part)).map(<[OsString]>::to_vec));
    }
    Some(commands)
}

impl Manifest {
    fn read(&mut self, file: &Path, depth: usize) -> Option<()> {
        let text = words::read_small(file)?;
        self.budget.set(self.budget.get() + text.len() * GROWTH);
        let lines = logical_lines(&text);
        let mut lines = lines.iter().peekable();
        while let Some(line) = lines.next() {
            let mut own = Vec::new();
            while let Some(inner) = lines.next_if(|next| next.starts_with(b" ")) {
                own.extend(assignment(inner));
            }
            let (keyword, rest) = split_word(line);
            match keyword {
                // A rule's values are expanded for each edge, all others where they stand.
                b"rule" => drop(self.rules.insert(rest.to_vec(), own.into_iter().collect())),
                b"build" => self.edges.extend(self.edge(rest, own)),
                b"include" | b"subninja" => {
                    let name = self.expand(rest, &[&self.variables]);
                    let name = PathBuf::from(OsString::from_vec(name));
                    let folder = file.parent().unwrap_or(Path::new("."));
                    if depth < MAX_DEPTH {
                        // A missing part costs its edges only.
                        self.read(&folder.join(name), depth + 1);
                    }
                }
                b"pool" | b"default" => {}
                _ => {
                    if let Some((name, value)) = assignment(line) {
                        let value = self.expand(&value, &[&self.variables]);
                        self.variables.insert(name, value);
                    }
                }
            }
        }
        Some(())
    }

    /// `out | implicit: rule in | implicit || order`
    fn edge(&self, text: &[u8], own: Vec<(Vec<u8>, Vec<u8>)>) -> Option<Edge> {
        let mut variables = Variables::new();
        for (name, value) in own {
            let value = self.expand(&value, &[&variables, &self.variables]);
            variables.insert(name, value);
        }
        let words = self.path_words(text, &variables);
        let colon = words.iter().position(|word| word == b":")?;
        let explicit = |words: &[Vec<u8>]| {
            let end = words.iter().position(|word| word.starts_with(b"|")).unwrap_or(words.len());
            let words = words.get(..end).unwrap_or_default().iter();
            let quoted = words.map(|word| Some(shlex::bytes::try_quote(word).ok()?.into_owned()));
            quoted.collect::<Option<Vec<_>>>().map(|words| words.join(&b' '))
        };
        let (outputs, rest) = words.split_at_checked(colon)?;
        let [_colon, rule, inputs @ ..] = rest else { return None };
        variables.insert(b"out".to_vec(), explicit(outputs)?);
        variables.insert(b"in".to_vec(), explicit(inputs)?);
        Some(Edge { rule: rule.clone(), variables })
    }

    fn command(&self, edge: &Edge) -> Option<Vec<OsString>> {
        let rule = self.rules.get(&edge.rule)?;
        let expand = |text: &[u8]| self.expand_rule(text, rule, &edge.variables, 0);
        let words = words::split(&expand(rule.get(b"command".as_slice())?))?;
        // The response file is gone by now, but its name and contents are written here.
        let response = expand(b"@$rspfile");
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            if response.len() > 1 && word.as_bytes() == response {
                expanded.extend(words::split(&expand(b"$rspfile_content"))?);
            } else {
                expanded.push(word);
            }
        }
        Some(expanded)
    }

    /// A rule's text for one edge. The edge's values are finished; the rule's own may name others again.
    fn expand_rule(
        &self,
        text: &[u8],
        rule: &Variables,
        edge: &Variables,
        depth: usize,
    ) -> Vec<u8> {
        self.replace(text, |name| match edge.get(name) {
            Some(value) => value.clone(),
            None => match rule.get(name) {
                Some(value) if depth < MAX_NESTING => {
                    self.expand_rule(value, rule, edge, depth + 1)
                }
                Some(_) => Vec::new(),
                None => self.variables.get(name).cloned().unwrap_or_default(),
            },
        })
    }

    /// A value outside rules: what it names is finished already.
    fn expand(&self, text: &[u8], scopes: &[&Variables]) -> Vec<u8> {
        self.replace(text, |name| {
            scopes.iter().find_map(|scope| scope.get(name)).cloned().unwrap_or_default()
        })
    }

    /// Replaces `$name` and `${name}` by their values and `$x` by `x` for anything else.
    fn replace(&self, text: &[u8], value: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let mut replaced = Vec::new();
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != b'$' {
                replaced.push(byte);
                continue;
            }
            let (name, after) = variable(rest);
            if name.is_empty() {
                replaced.extend(rest.first());
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            rest = after;
            let value = value(name);
            match self.budget.get().checked_sub(REPLACING + value.len()) {
                Some(left) => self.budget.set(left),
                None => break,
            }
            replaced.extend(value);
        }
        replaced
    }

    /// Splits at blanks; a colon is a word of its own. `$ ` and `$:` stand for themselves, a variable's value is part of
    /// the word it stands in.
    fn path_words(&self, text: &[u8], own: &Variables) -> Vec<Vec<u8>> {
        let mut words: Vec<Vec<u8>> = Vec::new();
        let mut word = Vec::new();
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'$' => {
                    let (name, after) = variable(rest);
                    if name.is_empty() {
                        word.extend(rest.first());
                        rest = rest.get(1..).unwrap_or_default();
                    } else {
                        let whole = [b"${".as_slice(), name, b"}"].concat();
                        word.extend(self.expand(&whole, &[own, &self.variables]));
                        rest = after;
                    }
                }
                b' ' => words.push(std::mem::take(&mut word)),
                b':' => words.extend([std::mem::take(&mut word), b":".to_vec()]),
                _ => word.push(byte),
            }
        }
        words.push(word);
        words.retain(|word| !word.is_empty());
        words
    }
}

/// The name after a `$`, with or without braces, and what follows it. An empty name: the next byte is escaped.
fn variable(text: &[u8]) -> (&[u8], &[u8]) {
    if let Some(braced) = text.strip_prefix(b"{") {
        let end = braced.iter().position(|&byte| byte == b'}').unwrap_or(braced.len());
        let (name, after) = braced.split_at(end);
        return (name, after.get(1..).unwrap_or_default());
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-';
    text.split_at(text.iter().position(|byte| !is_name(byte)).unwrap_or(text.len()))
}

/// Lines with `$`-newline joined, without comments and blank lines.
fn logical_lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut continued = false;
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let dollars = line.iter().rev().take_while(|&&byte| byte == b'$').count();
        let goes_on = dollars % 2 == 1;
        let body = if goes_on { line.split_last().map_or(line, |(_, body)| body) } else { line };
        match lines.last_mut() {
            Some(last) if continued => last.extend(body.trim_ascii_start()),
            _ if body.trim_ascii().is_empty() || body.trim_ascii_start().starts_with(b"#") => {
                continue;
            }
            _ => lines.push(body.to_vec()),
        }
        continued = goes_on;
    }
    lines
}

fn assignment(line: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let equals = line.iter().position(|&byte| byte == b'=')?;
    let (name, value) = (line.get(..equals)?, line.get(equals + 1..)?);
    Some((name.trim_ascii().to_vec(), value.trim_ascii().to_vec()))
}

fn split_word(line: &[u8]) -> (&[u8], &[u8]) {
    let (word, rest) =
        line.split_at(line.iter().position(|&byte| byte == b' ').unwrap_or(line.len()));
    (word, rest.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_expanded_with_their_scopes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("build.ninja");
        let text = "\
# comment
cc = gcc
cc = $cc -pipe
rule link
  command = rm -f $out && ${cc} $in -o $out $LIBS && :
rule big
  command = $cc @$out.rsp
  rspfile = $out.rsp
  rspfile_content = $in -o $out
include more.ninja
build my$ prog | extra: link a.o $
    b$:c.o | dep.o || order
  LIBS = -lm $cc
root = r
build big: big ${root}/x.o
";
        std::fs::write(&file, text).unwrap();
        let more = "build y: link z.o\ninclude more.ninja\n";
        std::fs::write(folder.path().join("more.ninja"), more).unwrap();
        let commands =
            commands(&file, |words| words.first().is_some_and(|word| word == "gcc")).unwrap();
        let text = |words: &Vec<OsString>| {
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join("|")
        };
        let lines: Vec<String> = commands.iter().map(text).collect();
        assert_eq!(lines[0], "gcc|-pipe|z.o|-o|y");
        let last = &lines[lines.len() - 2..];
        assert_eq!(
            last,
            ["gcc|-pipe|a.o|b:c.o|-o|my prog|-lm|gcc|-pipe", "gcc|-pipe|r/x.o|-o|big"]
        );
    }

    #[test]
    fn definitions_that_double_come_to_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("build.ninja");
        let mut text = String::from("rule r\n v0 = x\n");
        (1..32).for_each(|n| text += &format!(" v{n} = $v{0}$v{0}$v{0}$v{0}\n", n - 1));
        text += " command = cc $v31 $command -o $out\nbuild a: r\nbuild b: r\n";
        std::fs::write(&file, text).unwrap();
        assert_eq!(commands(&file, |_| true).unwrap().len(), 2);
    }
}
