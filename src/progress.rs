//! Telling on standard error what is going on: bars on a terminal, plain lines elsewhere, or nothing. Unless lines
//! are asked for, a log gets them from scans that take long only: from a short one its result is enough.
//!
//! Invariant: progress never touches standard output or a report, so those stay byte-identical.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::config::When;
use crate::line::one_line;

/// Where progress goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sink {
    Bars,
    /// From this time of the scan on.
    Lines(Duration),
    Nowhere,
}

/// A scan that takes longer tells a log what it is doing, and again whenever so much time has passed.
const PATIENCE: Duration = Duration::from_secs(10);

/// The teller. Shared by all threads.
#[derive(Debug)]
pub struct Progress {
    sink: Sink,
    started: Instant,
    bars: MultiProgress,
    open: Arc<Open>,
}

/// The stages that are under way, those that began last behind the others.
#[derive(Debug, Default)]
struct Open(Mutex<Vec<(String, ProgressBar, Running)>>);

/// One stage that is under way; it is over when dropped.
#[derive(Debug)]
pub struct Stage {
    sink: Sink,
    name: String,
    started: Instant,
    open: Arc<Open>,
    began: Instant,
    is_counted: bool,
    bar: ProgressBar,
    bars: MultiProgress,
    running: Running,
}

/// What is being done at the moment, each since when: the longest first.
#[derive(Clone, Debug, Default)]
struct Running(Arc<Mutex<Vec<(String, Instant)>>>);

/// Something that takes long; it is over when dropped.
#[derive(Debug)]
pub struct Task<'a> {
    stage: &'a Stage,
    name: String,
}

impl Progress {
    /// A teller for standard error as it is now.
    pub fn new(when: When) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let sink = match when {
            When::Never => Sink::Nowhere,
            When::Auto | When::Always if terminal => Sink::Bars,
            When::Always => Sink::Lines(Duration::ZERO),
            When::Auto => Sink::Lines(PATIENCE),
        };
        Self::with(sink)
    }

    /// A teller that says nothing.
    pub fn silent() -> Self {
        Self::with(Sink::Nowhere)
    }

    fn with(sink: Sink) -> Self {
        let bars = MultiProgress::with_draw_target(match sink {
            Sink::Bars => ProgressDrawTarget::stderr(),
            Sink::Lines(_) | Sink::Nowhere => ProgressDrawTarget::hidden(),
        });
        let open = Arc::new(Open::default());
        if let Sink::Lines(_) = sink {
            let open = Arc::downgrade(&open);
            std::thread::spawn(move || tell_regularly(&open));
        }
        Self { sink, started: Instant::now(), bars, open }
    }

    /// Begins a stage, of so many steps if that is known.
    pub fn stage(&self, name: &str, total: Option<u64>) -> Stage {
        let running = Running::default();
        let bar = match self.sink {
            Sink::Bars => self.bars.add(bar(total, &running)),
            Sink::Lines(_) | Sink::Nowhere => ProgressBar::hidden(),
        };
        bar.set_prefix(name.to_owned());
        self.open.lock().push((name.to_owned(), bar.clone(), running.clone()));
        let stage = Stage {
            started: self.started,
            open: Arc::clone(&self.open),
            sink: self.sink,
            name: name.into(),
            began: Instant::now(),
            is_counted: total.is_some(),
            bar,
            bars: self.bars.clone(),
            running,
        };
        if total.is_some() {
            stage.bar.set_length(total.unwrap_or_default());
        }
        match total {
            // How much there is will be known by and by.
            Some(0) => stage.line(name),
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
        if is_time(self.sink, self.started) {
            line(&self.time());
        }
    }
}

/// Whether lines are to be written now.
fn is_time(sink: Sink, started: Instant) -> bool {
    match sink {
        Sink::Lines(from) => started.elapsed() >= from,
        Sink::Bars | Sink::Nowhere => false,
    }
}

/// Says again and again how far the last stage is, until nobody holds the list any more.
fn tell_regularly(open: &Weak<Open>) {
    loop {
        std::thread::sleep(PATIENCE);
        let Some(open) = open.upgrade() else { return };
        if let Some((name, bar, running)) = open.lock().last() {
            let (done, total) = (bar.position(), bar.length().unwrap_or_default());
            line(format!("{name}: {done} of {total} {}", running.slowest()).trim_end());
        }
    }
}

impl Open {
    /// A panic elsewhere leaves the list as good as it was.
    fn lock(&self) -> MutexGuard<'_, Vec<(String, ProgressBar, Running)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stage {
    /// One step is done; `what` names it.
    pub fn step(&self, what: &str) {
        self.bar.inc(1);
        self.bar.set_message(one_line(what));
    }

    /// There is more to do than was known.
    pub fn more(&self, count: usize) {
        self.bar.inc_length(count as u64);
    }

    /// So many steps are done at once.
    pub fn steps(&self, count: usize) {
        self.bar.inc(count as u64);
    }

    /// Something long begins; what takes longest is shown.
    pub fn begin(&self, what: &str) -> Task<'_> {
        let name = one_line(what);
        self.running.lock().push((name.clone(), Instant::now()));
        Task { stage: self, name }
    }

    /// Says something that is known now, above the bars.
    pub fn say(&self, text: &str) {
        match self.sink {
            // A closed standard error is no reason to stop the scan.
            Sink::Bars => drop(self.bars.println(one_line(text))),
            Sink::Lines(_) | Sink::Nowhere => self.line(text),
        }
    }

    fn line(&self, text: &str) {
        if is_time(self.sink, self.started) {
            line(text);
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        let mut open = self.open.lock();
        if let Some(index) = open.iter().rposition(|(name, ..)| *name == self.name) {
            open.remove(index);
        }
        drop(open);
        let (name, time) = (&self.name, seconds(self.began.elapsed()));
        if self.is_counted {
            let (done, total) = (self.bar.position(), self.bar.length().unwrap_or_default());
            self.line(&format!("{name}: {done} of {total}, {time}"));
        } else {
            self.line(&format!("{name}: {time}"));
        }
    }
}

impl Running {
    /// A panic elsewhere leaves the list as good as it was.
    fn lock(&self) -> MutexGuard<'_, Vec<(String, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slowest(&self) -> String {
        let slow = |(_, since): &&(String, Instant)| since.elapsed() > Duration::from_secs(1);
        self.lock().first().filter(slow).map_or_else(String::new, |(name, since)| {
            format!("slowest: {name}, {}", seconds(since.elapsed()))
        })
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        let mut running = self.stage.running.lock();
        if let Some(index) = running.iter().position(|(name, _)| *name == self.name) {
            running.remove(index);
        }
    }
}

fn bar(total: Option<u64>, running: &Running) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    let template = match total {
        Some(_) => "{prefix} [{bar:24}] {pos}/{len} {slowest} {wide_msg}",
        None => "{prefix} {spinner} {wide_msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        let running = running.clone();
        let slowest = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            // What cannot be drawn now is drawn at the next tick.
            let _ = out.write_str(&running.slowest());
        };
        bar.set_style(style.with_key("slowest", slowest).progress_chars("=> "));
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
