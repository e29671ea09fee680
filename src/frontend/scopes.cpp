// The scopes that clang does not mark: it says where a variable's life begins and ends, but not of compound
// literals, of temporaries, nor of variables that a jump may go past. What it leaves out is added here as the markers
// that it makes for the others, from the blocks that unoptimised debug info tells:
//
//   - a variable lives in the block that declares it, a compound literal in the one where it is made;
//   - of a temporary, and of a variable whose declaration cannot be reached, no block is told. Its address may be used
//     at once, but what keeps it is marked as something whose meaning is not known.
//
// Declared in llvm_extra.rs.

#include "llvm-c/Core.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {

const char *const KEPT = "cegas.kept";

// What is done with a variable's address.
struct Uses {
  // The instructions that use it, or a place in the variable.
  std::vector<Instruction *> all;
  // Those that put it where it can outlive the expression.
  std::vector<Instruction *> keep;
  bool is_marked = false;
};

// A function that is given an address may give it back; of what is passed by value, it has a copy.
bool gives_back(const CallBase &call, const Use &use) {
  if (!call.getType()->isPointerTy() || !call.isArgOperand(&use))
    return false;
  unsigned argument = call.getArgOperandNo(&use);
  return !call.isByValArgument(argument) && !call.paramHasAttr(argument, Attribute::StructRet);
}

Uses uses_of(AllocaInst *variable) {
  Uses uses;
  SmallSetVector<Instruction *, 8> places, addresses;
  places.insert(variable);
  addresses.insert(variable);
  for (size_t next = 0; next < addresses.size(); ++next)
    for (const Use &use : addresses[next]->uses()) {
      auto *inst = dyn_cast<Instruction>(use.getUser());
      if (!inst)
        continue;
      if (inst->isLifetimeStartOrEnd()) {
        uses.is_marked = true;
        continue;
      }
      if (places.contains(addresses[next]))
        uses.all.push_back(inst);
      auto *store = dyn_cast<StoreInst>(inst);
      if ((store && store->getValueOperand() == use.get()) || isa<ReturnInst>(inst))
        uses.keep.push_back(inst);
      if (isa<GetElementPtrInst>(inst) && places.contains(addresses[next]))
        places.insert(inst);
      auto *call = dyn_cast<CallBase>(inst);
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(inst) || (call && gives_back(*call, use)))
        addresses.insert(inst);
    }
  return uses;
}

// The block of the source that an instruction stands in; null if it is not told.
const DILocalScope *scope_of(const Instruction &inst) {
  const DILocation *location = inst.getDebugLoc();
  while (location && location->getInlinedAt())
    location = location->getInlinedAt();
  return location ? location->getScope()->getNonLexicalBlockFileScope() : nullptr;
}

bool is_within(const DIScope *inner, const DILocalScope *outer) {
  for (; inner && inner != outer; inner = inner->getScope())
    if (isa<DISubprogram>(inner))
      return false;
  return inner;
}

// Which instructions stand in one block of the source. An instruction of which that is not told stands where the one
// before it does, or else the one after it; if there is neither, where all come from. So does a branch: that of a loop is
// often told to stand in the body.
class Inside {
public:
  Inside(Function &function, const DILocalScope *scope) {
    std::vector<BasicBlock *> untold;
    for (BasicBlock &block : function) {
      std::optional<bool> told;
      for (const Instruction &inst : block) {
        const DILocalScope *own = scope_of(inst);
        if (!own || (told && inst.isTerminator()))
          continue;
        bool is_first = !told;
        told = is_within(own, scope);
        changes[&inst] = *told;
        if (is_first)
          begins[&block] = *told;
      }
      if (told)
        finishes[&block] = *told;
      else
        untold.push_back(&block);
    }
    for (bool again = true; again;) {
      again = false;
      for (BasicBlock *block : untold) {
        if (begins.contains(block) || pred_empty(block))
          continue;
        auto is_told = [&](BasicBlock *from) { return finishes.contains(from); };
        if (!all_of(predecessors(block), is_told))
          continue;
        bool is_in = all_of(predecessors(block), [&](BasicBlock *from) { return finishes[from]; });
        begins[block] = finishes[block] = is_in;
        again = true;
      }
    }
  }

  bool starts(const BasicBlock &block) const { return begins.lookup(&block); }
  bool ends(const BasicBlock &block) const { return finishes.lookup(&block); }

  bool at(const Instruction &inst) const {
    for (const Instruction *one = &inst; one; one = one->getPrevNode())
      if (auto found = changes.find(one); found != changes.end())
        return found->second;
    return starts(*inst.getParent());
  }

  // Whether this instruction stands elsewhere than the one before it.
  std::optional<bool> change(const Instruction &inst) const {
    auto own = changes.find(&inst);
    const Instruction *before = inst.getPrevNode();
    if (own == changes.end() || !before || at(*before) == own->second)
      return std::nullopt;
    return own->second;
  }

private:
  DenseMap<const Instruction *, bool> changes;
  DenseMap<const BasicBlock *, bool> begins, finishes;
};

// The edges of a branch that can go anywhere cannot have code of their own.
bool is_split(const BasicBlock &block) { return !isa<IndirectBrInst, CallBrInst>(block.getTerminator()); }

using Variables = SmallVector<AllocaInst *, 4>;

// A variable, and the instruction before which it is declared.
using Declaration = std::pair<const DILocalVariable *, Instruction *>;

void mark(Instruction *before, const Variables &variables, bool is_start) {
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(before->getDebugLoc());
  for (AllocaInst *variable : variables) {
    auto bytes = variable->getAllocationSize(variable->getDataLayout());
    auto *size = builder.getInt64(bytes ? bytes->getFixedValue() : uint64_t(-1));
    is_start ? builder.CreateLifetimeStart(variable, size) : builder.CreateLifetimeEnd(variable, size);
  }
}

// From here on, nothing is known.
void mark_unknown(Instruction *before) {
  IRBuilder<> builder(before);
  auto *type = FunctionType::get(builder.getVoidTy(), false);
  builder.CreateCall(before->getModule()->getOrInsertFunction(KEPT, type));
}

// Marks what keeps the address of a variable of which nobody knows how long it lives: nothing is known behind that, and
// it is not taken to be alive there.
void mark_kept(AllocaInst *variable, const Uses &uses) {
  for (Instruction *inst : uses.keep) {
    mark_unknown(inst);
    mark(inst, {variable}, false);
  }
}

bool is_literal(const AllocaInst &variable) { return variable.getName().starts_with(".compoundliteral"); }

// A place where code can stand that runs on one edge, or when control may take it.
Instruction *on_edge(BasicBlock *from, BasicBlock *to) {
  if (!from->getUniqueSuccessor() && is_split(*from))
    if (BasicBlock *between =
            SplitCriticalEdge(from, to, CriticalEdgeSplittingOptions().setMergeIdenticalEdges()))
      return between->getTerminator();
  return from->getTerminator();
}

// Whether control can come from an instruction to another without leaving the block.
bool leads(const Inside &inside, const Instruction &from, const Instruction &to) {
  SmallPtrSet<const BasicBlock *, 16> met;
  std::vector<const BasicBlock *> waiting{from.getParent()};
  if (from.getParent() == to.getParent() && from.comesBefore(&to))
    return true;
  while (!waiting.empty()) {
    const BasicBlock *block = waiting.back();
    waiting.pop_back();
    for (const BasicBlock *next : successors(block)) {
      if (next == to.getParent())
        return true;
      if (inside.starts(*next) && met.insert(next).second)
        waiting.push_back(next);
    }
  }
  return false;
}

// Marks where the block is entered and left.
void mark_scope(Function &function, const DILocalScope *scope, const Variables &all) {
  Inside inside(function, scope);
  Variables variables;
  for (AllocaInst *variable : all) {
    Uses uses = uses_of(variable);
    auto is_inside = [&](const Instruction *use) { return inside.at(*use); };
    if (all_of(uses.all, is_inside))
      variables.push_back(variable);
    else
      mark_kept(variable, uses);
  }
  if (variables.empty())
    return;
  auto enters_late = [&](BasicBlock &block) {
    auto is_out = [&](BasicBlock *from) { return !is_split(*from) && !inside.ends(*from); };
    return inside.starts(block) && any_of(predecessors(&block), is_out);
  };
  // Who can go anywhere then enters before he goes.
  bool jumps_in = any_of(function, enters_late);
  std::vector<std::pair<Instruction *, bool>> places;
  // The edges where it is entered, and those that may enter it again: a loop around the block, and a jump to a label that
  // stands first in it, look the same.
  SmallSetVector<std::pair<BasicBlock *, BasicBlock *>, 4> edges, again;
  for (BasicBlock &block : function) {
    for (Instruction &inst : block)
      if (auto is_start = inside.change(inst))
        places.push_back({&inst, *is_start});
    bool is_in = inside.starts(block);
    auto was_in = [&](BasicBlock *from) { return inside.ends(*from) || (jumps_in && !is_split(*from)); };
    if (!is_in) {
      // What is over may end twice.
      if (any_of(predecessors(&block), was_in))
        places.push_back({&*block.getFirstInsertionPt(), false});
    } else if (none_of(predecessors(&block), was_in)) {
      places.push_back({&*block.getFirstInsertionPt(), true});
    } else if (!all_of(predecessors(&block), [&](BasicBlock *from) { return inside.ends(*from); })) {
      for (BasicBlock *from : predecessors(&block))
        if (!inside.ends(*from))
          edges.insert({from, &block});
        else if (leads(inside, block.front(), *from->getTerminator()))
          again.insert({from, &block});
    }
  }
  SmallSetVector<Instruction *, 4> entering, entering_again;
  for (auto [from, to] : edges)
    entering.insert(on_edge(from, to));
  for (auto [from, to] : again)
    entering_again.insert(on_edge(from, to));
  for (Instruction *branch : entering)
    mark(branch, variables, true);
  for (Instruction *branch : entering_again) {
    auto is_named = [](AllocaInst *variable) { return !is_literal(*variable); };
    if (any_of(variables, is_named))
      mark_unknown(branch);
    mark(branch, variables, false);
    mark(branch, variables, true);
  }
  for (auto [place, is_start] : places)
    mark(place, variables, is_start);
}

// Whether a compound literal, made first by this instruction, lives in the block that debug info tells. It does not say
// where loops and `switch` are statements of their own: what stands in their conditions, or in a body without braces, is
// gone behind them. So nothing is known of what is made in a loop inside the block, or behind the word `switch`.
bool is_certain(Function &function, const DILocalScope *scope, const Instruction &made) {
  Inside inside(function, scope);
  if (leads(inside, made, made))
    return false;
  auto place = [](const Instruction &inst) {
    const DILocation *location = inst.getDebugLoc();
    return location ? std::pair(location->getLine(), location->getColumn()) : std::pair(0u, 0u);
  };
  for (const BasicBlock &block : function)
    if (auto *branch = dyn_cast<SwitchInst>(block.getTerminator()))
      if (place(*branch) <= place(made) && leads(inside, made, *branch))
        return false;
  return true;
}

// What makes a compound literal whose block is known: it is used first there, in the order in which clang wrote it. Null if
// it is none.
const Instruction *literal(Function &function, const AllocaInst &variable) {
  if (!is_literal(variable))
    return nullptr;
  SmallPtrSet<const User *, 8> users(variable.user_begin(), variable.user_end());
  for (const BasicBlock &block : function)
    for (const Instruction &inst : block)
      if (users.contains(&inst)) {
        const DILocalScope *scope = scope_of(inst);
        return scope && is_certain(function, scope, inst) ? &inst : nullptr;
      }
  return nullptr;
}

} // namespace

extern "C" void cegas_mark_scopes(LLVMValueRef value) {
  auto *function = dyn_cast<Function>(unwrap(value));
  if (!function || function->isDeclaration())
    return;
  const DISubprogram *subprogram = function->getSubprogram();
  if (!subprogram || !subprogram->getUnit() || subprogram->getUnit()->isOptimized())
    return;
  DenseMap<const Value *, Declaration> declared;
  for (BasicBlock &block : *function)
    for (Instruction &inst : block)
      for (DbgVariableRecord &record : filterDbgVars(inst.getDbgRecordRange()))
        if (record.isDbgDeclare() && record.getNumVariableLocationOps() == 1)
          declared[record.getVariableLocationOp(0)] = {record.getVariable(), &inst};
  // What runs when a variable goes out of scope is told to stand behind its block, and then that says nothing.
  bool is_told = none_of(declared, [](const auto &entry) {
    const DILocalScope *scope = entry.second.first->getScope()->getNonLexicalBlockFileScope();
    auto is_behind = [&](const User *user) {
      auto *inst = dyn_cast<Instruction>(user);
      const DILocalScope *own = inst && !inst->isLifetimeStartOrEnd() ? scope_of(*inst) : nullptr;
      return own && !is_within(own, scope);
    };
    return any_of(entry.first->users(), is_behind);
  });
  MapVector<const DILocalScope *, Variables> scopes;
  for (Instruction &inst : function->getEntryBlock()) {
    auto *variable = dyn_cast<AllocaInst>(&inst);
    // `alloca` and arrays of any length are made at a place of the source.
    if (!variable || variable->getDebugLoc())
      continue;
    auto known = declared.find(variable);
    if (known == declared.end() && isAllocaPromotable(variable))
      continue;
    Uses uses = uses_of(variable);
    if (uses.is_marked)
      continue;
    const DILocalScope *scope = nullptr;
    if (known != declared.end()) {
      auto [local, at] = known->second;
      scope = local->getScope()->getNonLexicalBlockFileScope();
      // It is set to nothing each time that its declaration is come to.
      if (!local->isParameter() && at->getParent() != &function->getEntryBlock())
        mark(at, {variable}, true);
    } else if (const Instruction *made = literal(*function, *variable))
      scope = scope_of(*made);
    else
      mark_kept(variable, uses);
    if (!isa_and_nonnull<DILexicalBlock>(scope) || scope->getSubprogram() != subprogram)
      continue;
    if (is_told)
      scopes[scope].push_back(variable);
    else
      mark_kept(variable, uses);
  }
  for (auto &[scope, variables] : scopes)
    mark_scope(*function, scope, variables);
}
