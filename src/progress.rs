//! Telling on standard error what is going on: bars on a terminal, plain lines elsewhere, or nothing.
//!
//! Invariant: progress never touches standard output or a report, so those stay byte-identical.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::config::When;
use crate::line::one_line;

/// Where progress goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sink {
    Bars,
    Lines,
    Nowhere,
}

/// The teller. Shared by all threads.
#[derive(Debug)]
pub struct Progress {
    sink: Sink,
    started: Instant,
}

/// One stage that is under way; it is over when dropped.
#[derive(Debug)]
pub struct Stage {
    sink: Sink,
    name: String,
    began: Instant,
    total: Option<u64>,
    bar: ProgressBar,
}

impl Progress {
    /// A teller for standard error as it is now.
    pub fn new(when: When) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let sink = match when {
            When::Never => Sink::Nowhere,
            When::Auto | When::Always if terminal => Sink::Bars,
            When::Always => Sink::Lines,
            When::Auto => Sink::Nowhere,
        };
        Self { sink, started: Instant::now() }
    }

    /// A teller that says nothing.
    pub fn silent() -> Self {
        Self { sink: Sink::Nowhere, started: Instant::now() }
    }

    /// Begins a stage, of so many steps if that is known.
    pub fn stage(&self, name: &str, total: Option<u64>) -> Stage {
        let bar = match self.sink {
            Sink::Bars => bar(total),
            Sink::Lines | Sink::Nowhere => ProgressBar::hidden(),
        };
        bar.set_prefix(name.to_owned());
        let stage = Stage { sink: self.sink, name: name.into(), began: Instant::now(), total, bar };
        match total {
            Some(total) => stage.line(&format!("{name}: {total} to do")),
            None => stage.line(name),
        }
        stage
    }

    /// The time spent so far, in words.
    pub fn time(&self) -> String {
        format!("done in {}", seconds(self.started.elapsed()))
    }

    /// Says that the work is over. Reports may be printed from here on.
    pub fn clear(&self) {
        if self.sink == Sink::Lines {
            line(&self.time());
        }
    }
}

impl Stage {
    /// One step is done; `what` names it.
    pub fn step(&self, what: &str) {
        self.bar.inc(1);
        self.bar.set_message(one_line(what));
    }

    fn line(&self, text: &str) {
        if self.sink == Sink::Lines {
            line(text);
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        let (name, time) = (&self.name, seconds(self.began.elapsed()));
        match self.total {
            Some(total) => {
                self.line(&format!("{name}: {} of {total}, {time}", self.bar.position()))
            }
            None => self.line(&format!("{name}: {time}")),
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = match total {
        Some(_) => "{prefix} [{bar:24}] {pos}/{len} {wide_msg}",
        None => "{prefix} {spinner} {wide_msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A closed standard error is no reason to stop the scan.
fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "cegas-scan: {}", one_line(text));
}
