//! Addresses, constants and initialisers: where a symbol is only a name, the unit that defines it is put in
//! its place.

use super::merge::Merger;
use super::symbols::Home;
use super::unit::Symbol;
use crate::ir::{BlockId, Const, ConstExpr, ConstId, FuncId, Init, Layout, Program, Type, TypeId};
use cranelift_entity::EntityRef;

/// A symbol of the program and how far behind it.
pub(super) type Place = (Symbol, i64);

impl Merger<'_> {
    /// What the unit's symbol means in the program.
    pub(super) fn place(&self, unit: usize, symbol: Symbol) -> Place {
        let home = self.symbols.home(Home { unit, symbol });
        let (of, offset) = match self.pieces[home.unit].unit.alias(home.symbol) {
            Some(alias) => (alias.of, alias.offset),
            None => (home.symbol, 0),
        };
        let placed = self.ids[home.unit].placed(of);
        (placed.expect("what is needed is in the program"), offset)
    }

    pub(super) fn pointer_type(&mut self) -> TypeId {
        let size = u64::from(self.out.machine.pointer_bits / 8);
        let layout = Layout { size, store_size: size, align: size as u32 };
        self.out.types.intern(Type::Ptr, layout)
    }

    pub(super) fn address(&mut self, ty: TypeId, (symbol, offset): Place) -> ConstId {
        match symbol {
            Symbol::Global(global) => self.out.consts.intern(ty, Const::Global { global, offset }),
            Symbol::Func(func) => {
                let base = self.out.consts.intern(ty, Const::Func(func));
                if offset == 0 {
                    return base;
                }
                self.out.consts.intern(ty, Const::Expr(ConstExpr::Offset { base, offset }))
            }
        }
    }

    pub(super) fn append_constants(&mut self, index: usize, from: &Program) {
        let rows = std::mem::take(&mut self.rows[index].consts);
        for old in rows.iter() {
            if !self.needed.constants(index).contains(old) {
                continue;
            }
            let ids = &self.ids[index];
            let (ty, value) = (ids.types[from.consts.ty(old)], from.consts.get(old));
            let new = match *value {
                Const::Global { global, offset } => {
                    let (symbol, start) = self.place(index, Symbol::Global(global));
                    let id = self.address(ty, (symbol, start.wrapping_add(offset)));
                    self.ids[index].consts[old] = id;
                    continue;
                }
                Const::Func(func) => {
                    let place = self.place(index, Symbol::Func(func));
                    let id = self.address(ty, place);
                    self.ids[index].consts[old] = id;
                    continue;
                }
                Const::Aggregate(ref parts) => {
                    Const::Aggregate(parts.iter().map(|&part| ids.consts[part]).collect())
                }
                Const::Block { func, block } => match ids.func(func) {
                    Some(to) => {
                        let block = self.block(from, func, to, block);
                        Const::Block { func: to, block }
                    }
                    // Its function gave way to another unit's.
                    None => Const::Unsupported(
                        self.out.texts.intern("address of a label never reached"),
                    ),
                },
                Const::Expr(ConstExpr::Cast { op, value }) => {
                    Const::Expr(ConstExpr::Cast { op, value: ids.consts[value] })
                }
                Const::Expr(ConstExpr::Binary { op, lhs, rhs }) => {
                    let (lhs, rhs) = (ids.consts[lhs], ids.consts[rhs]);
                    Const::Expr(ConstExpr::Binary { op, lhs, rhs })
                }
                Const::Expr(ConstExpr::Offset { base, offset }) => {
                    Const::Expr(ConstExpr::Offset { base: ids.consts[base], offset })
                }
                Const::Unsupported(what) => Const::Unsupported(ids.texts[what]),
                Const::Int(_)
                | Const::Wide(_)
                | Const::Float(_)
                | Const::Null
                | Const::Zero
                | Const::Undef
                | Const::Poison => value.clone(),
            };
            let id = self.out.consts.intern(ty, new);
            self.ids[index].consts[old] = id;
        }
    }

    fn block(&self, from: &Program, func: FuncId, to: FuncId, block: BlockId) -> BlockId {
        let old = from.funcs[func].blocks.first().map_or(0, EntityRef::index);
        let new = self.out.funcs[to].blocks.first().map_or(0, EntityRef::index);
        BlockId::new(block.index() - old + new)
    }

    pub(super) fn initialise(&mut self, index: usize, from: &Program) {
        let ids = &self.ids[index];
        for (global, old) in &from.globals {
            if let (Some(id), Some(init)) = (ids.globals[global].expand(), &old.init) {
                let relocs = init.relocs.iter().map(|&(at, target)| (at, ids.consts[target]));
                let (bytes, relocs) = (init.bytes.clone(), relocs.collect());
                self.out.globals[id].init = Some(Init { bytes, relocs });
            }
        }
    }
}
