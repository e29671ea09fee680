//! What the user does not want to hear of again: comments in the source, and a baseline of findings that
//! were there before.
//!
//! Invariant: silence changes who is told, never what is true. A silenced obligation keeps its verdict; it
//! only no longer counts for the exit code. What silences nothing is itself told.

mod baseline;
mod comments;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use crate::config::Settings;
use crate::report::{Note, Report, Silenced, SilencedBy, Sources, Verdict, fingerprints};
use baseline::Baseline;
use comments::Comment;

/// What was silenced before the scan.
#[derive(Debug, Default)]
pub struct Silencer {
    /// What `--baseline` names.
    accepted: Baseline,
    /// What is about to be written again: its reasons are kept.
    previous: Baseline,
}

impl Silencer {
    /// Reads the baselines, so that a wrong one is refused before the work.
    pub fn prepare(settings: &Settings) -> Result<Self> {
        let accepted = settings.baseline.as_deref().map(Baseline::load).transpose()?;
        let old = settings.outputs.write_baseline.as_deref().filter(|path| path.exists());
        let previous = old.map(Baseline::load).transpose()?;
        Ok(Self { accepted: accepted.unwrap_or_default(), previous: previous.unwrap_or_default() })
    }

    /// Marks what is silenced. Gives the text of the baseline that is to be written, if one is.
    pub fn apply(
        self,
        report: &mut Report,
        sources: &Sources,
        settings: &Settings,
    ) -> Result<Option<String>> {
        heed_comments(report, &comments::all(sources)?, settings);
        let names = fingerprints(report, sources);
        let new = settings.outputs.write_baseline.as_ref().map(|_| {
            let known = self.accepted.joined(&self.previous);
            Baseline::of(report, &names, &known)
        });
        let accepted = new.as_ref().unwrap_or(&self.accepted).reasons();
        for (index, name) in &names {
            if let Some(reason) = accepted.get(name.as_str())
                && let Some(obligation) = report.obligations.get_mut(*index)
                && obligation.silenced.is_none()
            {
                let reason = (*reason).to_owned();
                obligation.silenced = Some(Silenced { by: SilencedBy::Baseline, reason });
            }
        }
        let gone = self.accepted.unmatched(names.values());
        if gone > 0 && report.is_whole() && new.is_none() {
            let text = format!(
                "{gone} of the baseline's findings are no longer there; --write-baseline drops them"
            );
            report.notes.push(Note { about: None, text });
        }
        new.map(|baseline| baseline.text()).transpose()
    }
}

/// Refuses comments that nobody could heed, before the work. Headers are looked at after it.
pub fn refuse_malformed<'a>(files: impl Iterator<Item = &'a str>, root: &Path) -> Result<()> {
    comments::all(&Sources::read(files, root)).map(drop)
}

fn heed_comments(report: &mut Report, comments: &[Comment], settings: &Settings) {
    let place = |(index, c): (usize, &Comment)| ((c.file.clone(), c.meant, c.rule), index);
    let by_place: BTreeMap<(String, u32, &str), usize> =
        comments.iter().enumerate().map(place).collect();
    let mut used = BTreeSet::new();
    for obligation in &mut report.obligations {
        if obligation.verdict == Verdict::Safe {
            continue;
        }
        let at = &obligation.location;
        let index = by_place.get(&(at.file.clone(), at.line, obligation.rule));
        if let Some((&index, comment)) = index.and_then(|i| Some((i, comments.get(*i)?))) {
            used.insert(index);
            let reason = comment.reason.clone();
            obligation.silenced = Some(Silenced { by: SilencedBy::Comment, reason });
        }
    }
    // Where not everything was looked at, a comment may be right about the rest.
    let is_whole = report.is_whole();
    for (index, comment) in comments.iter().enumerate() {
        if !used.contains(&index) && is_whole && settings.rules.contains(&comment.rule) {
            let about = Some(format!("{}:{}", comment.file, comment.line));
            let text = format!("`cegas-ignore: {}` silences nothing; remove it", comment.rule);
            report.notes.push(Note { about, text });
        }
    }
}
