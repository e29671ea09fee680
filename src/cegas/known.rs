//! Which variable each arbitrary value of a path is, for a walk along it with concrete values.
//!
//! Along a path, arbitrary values are numbered. What lies in memory that nobody wrote gets its number when it is looked
//! at, and a walk with concrete values looks at less: where an index is one of many, the content of every element
//! was needed; where it is known, that of one. So contents are told apart by where they lie, and only the others
//! by their number.

use super::machine::Machine;
use super::memory::Instance;
use super::state::State;
use crate::smt::ExprId;
use rustc_hash::FxHashMap;

/// Something that lay in memory before anybody wrote there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Content {
    instance: Instance,
    /// How often the object's scope was entered before.
    life: u32,
    offset: u64,
    /// Of several that were made for it, which.
    ordinal: u32,
}

/// The variables of one path.
#[derive(Debug, Default)]
pub(super) struct Known {
    plain: Vec<ExprId>,
    contents: FxHashMap<Content, ExprId>,
    lives: FxHashMap<Instance, u32>,
}

/// What is being looked at in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Looked {
    instance: Instance,
    offset: u64,
    /// Values made for it so far.
    made: u32,
}

impl Known {
    /// For a walk from the beginning.
    pub fn rewound(mut self) -> Known {
        self.lives.clear();
        self
    }

    fn content(&self, Looked { instance, offset, made }: Looked) -> Content {
        let life = self.lives.get(&instance).copied().unwrap_or(0);
        Content { instance, life, offset, ordinal: made }
    }
}

impl Machine<'_> {
    /// Values that are made until [`Machine::looked_away`] are what lies there.
    pub(super) fn look_at(&mut self, instance: Instance, offset: u64) -> Option<Looked> {
        self.looked.replace(Looked { instance, offset, made: 0 })
    }

    pub(super) fn looked_away(&mut self, before: Option<Looked>) {
        self.looked = before;
    }

    /// How often scopes were entered, as far as anybody counts.
    pub(super) fn lives(&self) -> Option<&FxHashMap<Instance, u32>> {
        let replayed = self.replay.as_ref().and_then(|replay| replay.known.as_ref());
        replayed.or(self.log.as_ref()).map(|known| &known.lives)
    }

    /// Forgets those that were entered since.
    pub(super) fn live_as_before(&mut self, lives: Option<FxHashMap<Instance, u32>>) {
        let replayed = self.replay.as_mut().and_then(|replay| replay.known.as_mut());
        if let (Some(known), Some(lives)) = (replayed.or(self.log.as_mut()), lives) {
            known.lives = lives;
        }
    }

    /// The object's scope is entered or left.
    pub(super) fn lives_again(&mut self, instance: Instance) {
        let replayed = self.replay.as_mut().and_then(|replay| replay.known.as_mut());
        if let Some(known) = replayed.or(self.log.as_mut()) {
            *known.lives.entry(instance).or_default() += 1;
        }
    }

    /// Counts a value of a path, and says which it is: by its number among those that do not lie in memory, or by its
    /// place.
    fn count_value(&mut self, state: &mut State) -> (usize, Option<Looked>) {
        let plain = state.fresh.saturating_sub(state.contents);
        state.fresh += 1;
        let looked = self.looked;
        if let Some(looked) = &mut self.looked {
            looked.made += 1;
            state.contents += 1;
        }
        (plain as usize, looked)
    }

    /// Counts a value, and takes down that it is this variable.
    pub(super) fn take_down_value(&mut self, state: &mut State, var: ExprId) {
        let (plain, looked) = self.count_value(state);
        let Some(log) = &mut self.log else { return };
        match looked {
            Some(looked) => _ = log.contents.insert(log.content(looked), var),
            None => {
                log.plain.truncate(plain);
                log.plain.push(var);
            }
        }
    }

    /// Counts a value of a path that is walked again: the variable that it was, if that is known.
    pub(super) fn same_value(&mut self, state: &mut State) -> Option<ExprId> {
        let (plain, looked) = self.count_value(state);
        let known = self.replay.as_ref()?.known.as_ref()?;
        match looked {
            Some(looked) => known.contents.get(&known.content(looked)).copied(),
            None => known.plain.get(plain).copied(),
        }
    }
}
