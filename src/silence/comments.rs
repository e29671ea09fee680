//! Comments that silence a rule at one place: `// cegas-ignore: RULE[,RULE] reason`, on the line of the code that
//! it is about, or alone on the line above it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::lexed::Lexed;
use crate::config::nearest;
use crate::report::Sources;
use crate::rules::{RULES, rule};

const WORD: &str = "cegas-ignore";

/// One rule silenced at one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub file: String,
    /// Where the comment stands.
    pub line: u32,
    /// The line it is about.
    pub meant: u32,
    pub rule: &'static str,
    pub reason: String,
}

/// The comments of all files.
pub fn all<'f>(files: impl Iterator<Item = &'f str>, root: &Path) -> Result<Vec<Comment>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for name in files.filter(|name| seen.insert(*name)) {
        // One at a time: all headers of a large project are more than what its findings stand in.
        for (file, text) in Sources::read(std::iter::once(name), root).files() {
            push(&mut found, file, text)?;
        }
    }
    Ok(found)
}

fn push(found: &mut Vec<Comment>, file: &str, text: &str) -> Result<()> {
    if !text.contains(WORD) {
        return Ok(());
    }
    let source = Lexed::of(text);
    let next = without_comments(text, &source);
    for comment in &source.comments {
        for (line, words) in directives(text, comment, &source) {
            let fail = |error: anyhow::Error| anyhow!("{file}:{}: {error}", line + 1);
            let (rules, reason) = understood(words).map_err(fail)?;
            let meant = meant(comment, line, &source, &next);
            let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
            found.extend(rules.into_iter().map(|rule| Comment {
                file: file.to_owned(),
                line: number(line),
                meant: number(meant),
                rule,
                reason: reason.to_owned(),
            }));
        }
    }
    Ok(())
}

/// The lines of a comment in which it silences something, with the words behind the name. It does so where it begins with
/// the name, or again behind another `//`; the name in other text is just a word.
fn directives<'t>(
    text: &'t str,
    comment: &Range<usize>,
    source: &Lexed,
) -> impl Iterator<Item = (usize, &'t str)> {
    let inside = text.get(comment.clone()).unwrap_or_default();
    inside.match_indices(WORD).filter_map(|(at, _)| {
        let before = inside.get(..at)?.trim_end_matches([' ', '\t']);
        // Also as documentation is written: `///`, `//!`, `/**`.
        let mark = before.trim_end_matches(['/', '*', '!']);
        let mark = before.get(mark.len()..)?;
        let words = inside.get(at + WORD.len()..)?.split(['\n', '\r']).next()?;
        (mark.contains("//") || mark.contains("/*"))
            .then(|| (source.line(comment.start + at), words))
    })
}

/// The line that a comment is about: its own if there is code beside it, else the next one.
fn meant(comment: &Range<usize>, line: usize, source: &Lexed, next: &[usize]) -> usize {
    let last = source.line(comment.end);
    if source.has_code_before(comment.start) {
        line
    } else if source.has_code_behind(comment.end) {
        last
    } else {
        next.get(last + 1).copied().unwrap_or(last + 1)
    }
}

/// For each line the first one from there on that holds something else than such comments: several above a line are all
/// about that line.
fn without_comments(text: &str, source: &Lexed) -> Vec<usize> {
    let mut next: Vec<usize> = (0..source.starts.len()).collect();
    // From the end on, so that what follows is known.
    for comment in source.comments.iter().rev() {
        let (first, last) = (source.line(comment.start), source.line(comment.end));
        let alone = !source.has_code_before(comment.start) && !source.has_code_behind(comment.end);
        if alone && directives(text, comment, source).next().is_some() {
            let behind = next.get(last + 1).copied().unwrap_or(last + 1);
            next.iter_mut().take(last + 1).skip(first).for_each(|line| *line = behind);
        }
    }
    next
}

fn understood(words: &str) -> Result<(Vec<&'static str>, &str)> {
    let Some(words) = words.strip_prefix(':') else {
        bail!("expected `// {WORD}: RULE reason`");
    };
    let words = words.split("*/").next().unwrap_or(words).trim();
    // Another rule may follow a comma behind spaces.
    let mut end = 0;
    loop {
        let rest = words.get(end..).unwrap_or_default();
        let rest = rest.trim_start();
        let name = rest.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(rest.len());
        end = words.len() - rest.len() + name;
        match words.get(end..).and_then(|rest| rest.trim_start().strip_prefix(',')) {
            Some(rest) => end = words.len() - rest.len(),
            None => break,
        }
    }
    let (named, reason) = words.split_at_checked(end).unwrap_or((words, ""));
    let known = |id: &str| match rule(id) {
        Some(rule) => Ok(rule.id),
        None => Err(match nearest(id, RULES.iter().map(|rule| rule.id)) {
            Some(near) => anyhow!("{WORD}: there is no rule `{id}`; did you mean `{near}`?"),
            None => anyhow!("{WORD}: there is no rule `{id}`; --list-rules shows them"),
        }),
    };
    let rules = named.split(',').map(str::trim).map(known).collect::<Result<Vec<_>>>()?;
    let reason = reason.trim();
    if reason.is_empty() {
        bail!("{WORD} without a reason; write `// {WORD}: {named} why it is fine`");
    }
    Ok((rules, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<Vec<(u32, u32, &'static str, String)>> {
        let mut found = Vec::new();
        push(&mut found, "a.c", text)?;
        Ok(found.into_iter().map(|c| (c.line, c.meant, c.rule, c.reason)).collect())
    }

    #[test]
    fn a_comment_is_about_its_line_or_the_next() {
        let text = "x++; // cegas-ignore: signed-overflow it wraps\n\
                    /* cegas-ignore: leak,assertion freed by the system */\n\
                    \t// cegas-ignore: div-by-zero never\n\
                    y();\n\
                    say(\"cegas-ignore\"); // on cegas-ignore: see the manual\n\
                    /* cegas-ignore: leak kept */ z(); /* later */\n\
                    /* cegas-ignore: leak kept\n\
                       for ever */\n\
                    a();\n\
                    b(); // fine // cegas-ignore: leak, assertion  of course\n";
        let expected = [
            (1, 1, "signed-overflow", "it wraps"),
            (2, 4, "leak", "freed by the system"),
            (2, 4, "assertion", "freed by the system"),
            (3, 4, "div-by-zero", "never"),
            (6, 6, "leak", "kept"),
            (7, 9, "leak", "kept"),
            (10, 10, "leak", "of course"),
            (10, 10, "assertion", "of course"),
        ];
        let found = found(text).unwrap();
        let found: Vec<_> = found.iter().map(|(a, b, c, d)| (*a, *b, *c, d.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_slip_is_answered_with_the_way_out() {
        for (text, words) in [
            ("\n// cegas-ignore leak x", "a.c:2: expected `// cegas-ignore: RULE reason`"),
            ("// cegas-ignore: leek x", "did you mean `leak`?"),
            ("// cegas-ignore: everything x", "--list-rules"),
            ("// cegas-ignore: leak", "without a reason"),
            ("// cegas-ignore: leak */", "without a reason"),
            ("// cegas-ignore:", "there is no rule ``"),
        ] {
            let message = found(text).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn what_stands_in_a_string_is_no_comment() {
        let text = "puts(\"write // cegas-ignore: RULE reason\");\n\
                    puts(\"cegas-ignore \\\" //\"); // cegas-ignore: leak kept\n\
                    c = '\"'; // cegas-ignore: leak a quote\n\
                    n = 1'000 + '/*'; // cegas-ignore: leak an odd number\n\
                    #error don't // a mistake\n\
                    d(); // cegas-ignore: leak behind it\n";
        let lines: Vec<u32> = found(text).unwrap().into_iter().map(|c| c.1).collect();
        assert_eq!(lines, [2, 3, 4, 6]);
    }

    #[test]
    fn every_end_of_a_line_counts() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a();", "// cegas-ignore: leak why", "b();", ""].join(end);
            assert_eq!(found(&text).unwrap(), [(2, 3, "leak", "why".to_owned())]);
        }
    }
}
