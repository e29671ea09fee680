//! What is known of a pointer or number where it crosses the border of a function.

use super::range::Range;

/// Facts about one value, without saying which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    pub object: bool,
    /// It is null or points into an object.
    pub sane: bool,
    /// It points into what nobody ever writes to, and a zero byte comes before the end of that.
    pub text: bool,
    /// If it points into an object, so many bytes behind its start.
    pub offset: Range,
    /// The bytes around it that lie in its object; none if the range is empty.
    pub bytes: (i64, i64),
    pub live: bool,
    /// It is null or the start of something that was allocated, and may be freed by now.
    pub start: bool,
    pub set: bool,
    /// Of a number.
    pub range: Range,
    /// Of a place in memory: what was written there since the function was entered was set.
    pub kept: bool,
}

impl Known {
    /// Of a value that no execution makes, as far as was seen.
    pub const ALL: Known = Known {
        object: true,
        sane: true,
        text: true,
        offset: Range::NONE,
        bytes: (i64::MIN, i64::MAX),
        live: true,
        start: true,
        set: true,
        range: Range::NONE,
        kept: true,
    };
    pub const NOTHING: Known = Known {
        object: false,
        sane: false,
        text: false,
        offset: Range::ANY,
        bytes: (0, 0),
        live: false,
        start: false,
        set: false,
        range: Range::ANY,
        kept: false,
    };

    pub fn meet(self, other: Known) -> Known {
        let (lo, hi) = (self.bytes.0.max(other.bytes.0), self.bytes.1.min(other.bytes.1));
        Known {
            object: self.object && other.object,
            sane: self.sane && other.sane,
            text: self.text && other.text,
            offset: self.offset.or(other.offset),
            bytes: if lo < hi { (lo, hi) } else { (0, 0) },
            live: self.live && other.live,
            start: self.start && other.start,
            set: self.set && other.set,
            range: self.range.or(other.range),
            kept: self.kept && other.kept,
        }
    }

    /// The same, but with no range if that is another than before: a loop might let it grow for long.
    pub fn widened(self, before: Known) -> Known {
        let kept = |now: Range, before: Range| if now == before { now } else { Range::ANY };
        let range = kept(self.range, before.range);
        Known { range, offset: kept(self.offset, before.offset), ..self }
    }
}

/// What holds at the borders of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Of each parameter, when the function is entered …
    pub entry: Vec<Known>,
    /// … and of the same values when it has returned.
    pub exit: Vec<Known>,
    pub result: Known,
}

impl Summary {
    pub fn all(params: usize) -> Summary {
        Summary {
            entry: vec![Known::ALL; params],
            exit: vec![Known::ALL; params],
            result: Known::ALL,
        }
    }
}
