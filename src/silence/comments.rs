//! Comments that silence a rule at one place: `// cegas-ignore: RULE[,RULE] reason`, behind the code it is
//! about, or alone on the line above it.

use anyhow::{Result, anyhow, bail};

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
pub fn all(sources: &Sources) -> Result<Vec<Comment>> {
    let mut found = Vec::new();
    for (file, text) in sources.files().filter(|(_, text)| text.contains(WORD)) {
        push(&mut found, file, text)?;
    }
    Ok(found)
}

fn push(found: &mut Vec<Comment>, file: &str, text: &str) -> Result<()> {
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some((before, words)) = split(line) else { continue };
        let fail = |error: anyhow::Error| anyhow!("{file}:{}: {error}", index + 1);
        let (rules, reason) = understood(words).map_err(fail)?;
        // Several comments above a line are all about that line.
        let alone = |line: &&str| split(line).is_some_and(|(before, _)| before.is_empty());
        let meant = match before.is_empty() {
            true => index + lines.iter().skip(index).take_while(|line| alone(line)).count(),
            false => index,
        };
        let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
        found.extend(rules.into_iter().map(|rule| Comment {
            file: file.to_owned(),
            line: number(index),
            meant: number(meant),
            rule,
            reason: reason.to_owned(),
        }));
    }
    Ok(())
}

/// The code before such a comment and the words behind its name. The name in other text is just a word.
fn split(line: &str) -> Option<(&str, &str)> {
    let (before, words) = line.split_once(WORD)?;
    let before = before.trim_end();
    let code = before.strip_suffix("//").or_else(|| before.strip_suffix("/*"))?;
    Some((code.trim(), words))
}

fn understood(words: &str) -> Result<(Vec<&'static str>, &str)> {
    let Some(words) = words.strip_prefix(':') else {
        bail!("expected `// {WORD}: RULE reason`");
    };
    let words = words.trim().strip_suffix("*/").unwrap_or(words).trim();
    let (named, reason) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let known = |id: &str| match rule(id) {
        Some(rule) => Ok(rule.id),
        None => Err(match nearest(id, RULES.iter().map(|rule| rule.id)) {
            Some(near) => anyhow!("{WORD}: there is no rule `{id}`; did you mean `{near}`?"),
            None => anyhow!("{WORD}: there is no rule `{id}`; --list-rules shows them"),
        }),
    };
    let rules = named.split(',').map(known).collect::<Result<Vec<_>>>()?;
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
                    say(\"cegas-ignore\"); // on cegas-ignore: see the manual\n";
        let expected = [
            (1, 1, "signed-overflow", "it wraps"),
            (2, 4, "leak", "freed by the system"),
            (2, 4, "assertion", "freed by the system"),
            (3, 4, "div-by-zero", "never"),
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
}
