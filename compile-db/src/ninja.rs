//! Reads `build.ninja` as far as it takes to know the command of every edge.
//!
//! Invariant: a subset of ninja's language, read leniently; what is not understood yields no command. Nothing is run.

use crate::words;
use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Files that include each other end here; CMake needs two levels.
const MAX_DEPTH: usize = 8;
/// Variables inside variables inside variables.
const MAX_EXPANSION: usize = 32;
/// The longest text one edge may expand to.
const MAX_COMMAND: usize = 16 << 20;

type Variables = HashMap<Vec<u8>, Vec<u8>>;

#[derive(Default)]
struct Manifest {
    variables: Variables,
    rules: HashMap<Vec<u8>, Variables>,
    edges: Vec<Edge>,
}

struct Edge {
    rule: Vec<u8>,
    outputs: Vec<u8>,
    inputs: Vec<u8>,
    variables: Variables,
}

/// The commands of all edges, split into words.
pub(crate) fn commands(file: &Path) -> Option<Vec<Vec<OsString>>> {
    let mut manifest = Manifest::default();
    manifest.read(file, 0)?;
    Some(manifest.edges.iter().filter_map(|edge| manifest.command(edge)).collect())
}

impl Manifest {
    fn read(&mut self, file: &Path, depth: usize) -> Option<()> {
        let text = words::read_small(file)?;
        let lines = logical_lines(&text);
        let mut lines = lines.iter().peekable();
        while let Some(line) = lines.next() {
            let mut own = Variables::new();
            while let Some(inner) = lines.next_if(|next| next.starts_with(b" ")) {
                own.extend(assignment(inner));
            }
            let (keyword, rest) = split_word(line);
            match keyword {
                b"rule" => drop(self.rules.insert(rest.to_vec(), own)),
                b"build" => self.edges.extend(edge(rest, own)),
                b"include" | b"subninja" if depth < MAX_DEPTH => {
                    let name = self.expand(rest, &[&self.variables], 0);
                    let name = PathBuf::from(
                        <OsString as std::os::unix::ffi::OsStringExt>::from_vec(name),
                    );
                    let folder = file.parent().unwrap_or(Path::new("."));
                    // A missing part costs its edges only.
                    self.read(&folder.join(name), depth + 1);
                }
                b"pool" | b"default" => {}
                _ => self.variables.extend(assignment(line)),
            }
        }
        Some(())
    }

    fn command(&self, edge: &Edge) -> Option<Vec<OsString>> {
        let rule = self.rules.get(&edge.rule)?;
        let mut own = edge.variables.clone();
        own.insert(b"in".to_vec(), edge.inputs.clone());
        own.insert(b"out".to_vec(), edge.outputs.clone());
        let scopes = [&own, rule, &self.variables];
        let text = self.expand(rule.get(b"command".as_slice())?, &scopes, 0);
        let words = words::split(&text)?;
        // The response file is gone by now, but its name and contents are written here.
        let response = self.expand(b"@$rspfile", &scopes, 0);
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            if response.len() > 1 && word.as_encoded_bytes() == response {
                expanded.extend(words::split(&self.expand(b"$rspfile_content", &scopes, 0))?);
            } else {
                expanded.push(word);
            }
        }
        Some(expanded)
    }

    /// Replaces `$name` and `${name}` by the first scope that has it, and `$x` by `x` for anything else.
    fn expand(&self, text: &[u8], scopes: &[&Variables], depth: usize) -> Vec<u8> {
        let mut expanded = Vec::new();
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != b'$' {
                expanded.push(byte);
                continue;
            }
            let is_name =
                |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-';
            let (name, after) = match rest.strip_prefix(b"{") {
                Some(braced) => {
                    let end = braced.iter().position(|&byte| byte == b'}').unwrap_or(braced.len());
                    (
                        braced.get(..end).unwrap_or_default(),
                        braced.get(end + 1..).unwrap_or_default(),
                    )
                }
                None => {
                    let end = rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len());
                    rest.split_at(end)
                }
            };
            if name.is_empty() {
                if let Some((&escaped, after)) = rest.split_first() {
                    expanded.push(escaped);
                    rest = after;
                }
                continue;
            }
            rest = after;
            let value = scopes.iter().find_map(|scope| scope.get(name));
            if let Some(value) = value
                && depth < MAX_EXPANSION
                && expanded.len() < MAX_COMMAND
            {
                // Paths in `in` and `out` were expanded and quoted when they were read.
                if name == b"in" || name == b"out" {
                    expanded.extend(value);
                } else {
                    expanded.extend(self.expand(value, scopes, depth + 1));
                }
            }
        }
        expanded
    }
}

/// Lines with `$`-newline joined, without comments and blank lines.
fn logical_lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut continued = false;
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let dollars = line.iter().rev().take_while(|&&byte| byte == b'$').count();
        let goes_on = dollars % 2 == 1;
        let body = if goes_on { line.get(..line.len() - 1).unwrap_or(line) } else { line };
        match lines.last_mut() {
            Some(last) if continued => last.extend(body.trim_ascii_start()),
            _ if body.trim_ascii().is_empty() || body.trim_ascii_start().starts_with(b"#") => {
                continued = goes_on && !body.trim_ascii_start().starts_with(b"#");
                if continued {
                    lines.push(body.to_vec());
                }
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
    let end = line.iter().position(|&byte| byte == b' ').unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    (word, rest.trim_ascii())
}

/// `out | implicit: rule in | implicit || order`, with `$:` and `$ ` escaped.
fn edge(text: &[u8], variables: Variables) -> Option<Edge> {
    let words = path_words(text);
    let colon = words.iter().position(|word| word == b":")?;
    let explicit = |words: &[Vec<u8>]| {
        let end = words.iter().position(|word| word.starts_with(b"|")).unwrap_or(words.len());
        let quoted = words.get(..end).unwrap_or_default().iter();
        let quoted =
            quoted.map(|word| shlex::bytes::try_quote(word).map(|quoted| quoted.into_owned()));
        quoted.collect::<Result<Vec<_>, _>>().ok().map(|words| words.join(&b' '))
    };
    let (outputs, rest) = words.split_at_checked(colon)?;
    let [_colon, rule, inputs @ ..] = rest else { return None };
    Some(Edge {
        rule: rule.clone(),
        outputs: explicit(outputs)?,
        inputs: explicit(inputs)?,
        variables,
    })
}

/// Splits at blanks that are not escaped; a colon is a word of its own.
fn path_words(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = vec![Vec::new()];
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, words.last_mut()) {
            (b'$', Some(word)) => word.extend(bytes.next()),
            (b' ', _) => words.push(Vec::new()),
            (b':', _) => words.extend([b":".to_vec(), Vec::new()]),
            (_, Some(word)) => word.push(byte),
            (_, None) => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
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
cc = gcc -pipe
rule link
  command = rm -f $out && ${cc} $in -o $out $LIBS && :
  description = x
rule big
  command = $cc @$out.rsp
  rspfile = $out.rsp
  rspfile_content = $in -o $out
include more.ninja
build my$ prog | extra: link a.o $
    b$:c.o | dep.o || order
  LIBS = -lm $cc
build big: big x.o
";
        std::fs::write(&file, text).unwrap();
        std::fs::write(folder.path().join("more.ninja"), "build y: link z.o\ninclude more.ninja\n")
            .unwrap();
        let commands = commands(&file).unwrap();
        let lines: Vec<String> = commands
            .iter()
            .map(|words| words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join("|"))
            .collect();
        assert!(lines.contains(&"rm|-f|y|&&|gcc|-pipe|z.o|-o|y|&&|:".to_owned()), "{lines:?}");
        assert!(
            lines.contains(
                &"rm|-f|my prog|&&|gcc|-pipe|a.o|b:c.o|-o|my prog|-lm|gcc|-pipe|&&|:".to_owned()
            ),
            "{lines:?}"
        );
        assert_eq!(lines.last().unwrap(), "gcc|-pipe|x.o|-o|big");
    }
}
