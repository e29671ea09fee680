// What LLVM's C interface does not tell: debug records, debug types, wide and floating constants.
// Every function is total: on the wrong kind of argument it answers with nothing. Used only by
// llvm_extra.rs, whose declarations mirror these.

#include "llvm-c/Core.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {
struct Text {
  const char *data;
  size_t len;
};

Text text(StringRef s) { return {s.data(), s.size()}; }
} // namespace

extern "C" {

// One `#dbg_value` or `#dbg_declare` before an instruction.
struct CegasDebugRecord {
  LLVMMetadataRef variable;
  LLVMValueRef value; // null if the value is gone
  uint8_t is_declare;
  uint8_t is_plain; // the expression is empty: the value (or address) is the variable's own
};

size_t cegas_debug_records(LLVMValueRef instruction, CegasDebugRecord *out, size_t capacity) {
  auto *inst = dyn_cast<Instruction>(unwrap(instruction));
  size_t count = 0;
  if (!inst)
    return 0;
  for (DbgRecord &record : inst->getDbgRecordRange()) {
    auto *var = dyn_cast<DbgVariableRecord>(&record);
    if (!var || var->isDbgAssign())
      continue;
    if (count < capacity) {
      Value *value = var->getNumVariableLocationOps() == 1 ? var->getVariableLocationOp(0) : nullptr;
      out[count] = {wrap(var->getVariable()), wrap(value), var->isDbgDeclare(),
                    var->getExpression() && var->getExpression()->getNumElements() == 0};
    }
    ++count;
  }
  return count;
}

// A debug-info node, flattened; which fields mean something depends on the kind.
struct CegasDebugNode {
  uint32_t kind; // one of Kind below
  uint32_t tag;  // DWARF's
  uint32_t line;
  uint32_t encoding; // base type: DWARF's; local variable: its argument number
  uint64_t size_bits;
  uint64_t offset_bits;
  int64_t value; // enumerator: its value; subrange: its count, -1 if unknown
  uint8_t bit_field;
  Text name;
  LLVMMetadataRef base; // the type of a variable, derived type, array or function result
  LLVMMetadataRef file;
  size_t elements;
};

enum class Kind : uint32_t {
  Nothing,
  BasicType,
  DerivedType,
  CompositeType,
  FunctionType,
  Variable,
  Subprogram,
  Enumerator,
  Subrange,
};

void cegas_debug_node(LLVMMetadataRef metadata, CegasDebugNode *out) {
  *out = {};
  Metadata *node = unwrap(metadata);
  if (!node)
    return;
  if (auto *type = dyn_cast<DIType>(node)) {
    out->tag = type->getTag();
    out->line = type->getLine();
    out->size_bits = type->getSizeInBits();
    out->offset_bits = type->getOffsetInBits();
    out->name = text(type->getName());
    out->file = wrap(type->getFile());
    if (auto *basic = dyn_cast<DIBasicType>(type)) {
      out->kind = static_cast<uint32_t>(Kind::BasicType);
      out->encoding = basic->getEncoding();
    } else if (auto *derived = dyn_cast<DIDerivedType>(type)) {
      out->kind = static_cast<uint32_t>(Kind::DerivedType);
      out->base = wrap(derived->getBaseType());
      out->bit_field = derived->isBitField();
    } else if (auto *composite = dyn_cast<DICompositeType>(type)) {
      out->kind = static_cast<uint32_t>(Kind::CompositeType);
      out->base = wrap(composite->getBaseType());
      out->elements = composite->getElements() ? composite->getElements().size() : 0;
    } else if (auto *function = dyn_cast<DISubroutineType>(type)) {
      out->kind = static_cast<uint32_t>(Kind::FunctionType);
      out->elements = function->getTypeArray() ? function->getTypeArray().size() : 0;
    }
  } else if (auto *var = dyn_cast<DIVariable>(node)) {
    out->kind = static_cast<uint32_t>(Kind::Variable);
    out->line = var->getLine();
    out->name = text(var->getName());
    out->base = wrap(var->getType());
    out->file = wrap(var->getFile());
    if (auto *local = dyn_cast<DILocalVariable>(var))
      out->encoding = local->getArg();
  } else if (auto *function = dyn_cast<DISubprogram>(node)) {
    out->kind = static_cast<uint32_t>(Kind::Subprogram);
    out->line = function->getLine();
    out->name = text(function->getName());
    out->base = wrap(static_cast<DIType *>(function->getType()));
    out->file = wrap(function->getFile());
  } else if (auto *enumerator = dyn_cast<DIEnumerator>(node)) {
    out->kind = static_cast<uint32_t>(Kind::Enumerator);
    out->name = text(enumerator->getName());
    out->value = enumerator->getValue().getSExtValue();
  } else if (auto *subrange = dyn_cast<DISubrange>(node)) {
    out->kind = static_cast<uint32_t>(Kind::Subrange);
    auto *count = dyn_cast_if_present<ConstantInt *>(subrange->getCount());
    out->value = count ? count->getSExtValue() : -1;
  }
}

// The i-th element of a composite type, or the i-th type of a function type (0: its result).
LLVMMetadataRef cegas_debug_element(LLVMMetadataRef metadata, size_t i) {
  Metadata *node = unwrap(metadata);
  if (auto *composite = dyn_cast_or_null<DICompositeType>(node)) {
    auto elements = composite->getElements();
    return elements && i < elements.size() ? wrap(static_cast<Metadata *>(elements[i])) : nullptr;
  }
  if (auto *function = dyn_cast_or_null<DISubroutineType>(node)) {
    auto types = function->getTypeArray();
    return types && i < types.size() ? wrap(static_cast<Metadata *>(types[i])) : nullptr;
  }
  return nullptr;
}

// The debug variable of a global, if it has one that describes all of it.
LLVMMetadataRef cegas_global_variable(LLVMValueRef global) {
  auto *var = dyn_cast<GlobalVariable>(unwrap(global));
  if (!var)
    return nullptr;
  SmallVector<DIGlobalVariableExpression *, 1> found;
  var->getDebugInfo(found);
  for (auto *expression : found)
    if (expression->getExpression()->getNumElements() == 0)
      return wrap(static_cast<Metadata *>(expression->getVariable()));
  return nullptr;
}

// The words of an integer or floating constant, least significant first.
size_t cegas_constant_words(LLVMValueRef constant, uint64_t *out, size_t capacity) {
  APInt bits;
  if (auto *integer = dyn_cast<ConstantInt>(unwrap(constant)))
    bits = integer->getValue();
  else if (auto *real = dyn_cast<ConstantFP>(unwrap(constant)))
    bits = real->getValueAPF().bitcastToAPInt();
  else
    return 0;
  for (size_t i = 0; i < bits.getNumWords() && i < capacity; ++i)
    out[i] = bits.getRawData()[i];
  return bits.getNumWords();
}

// The bytes of a constant array or vector of plain data, in this machine's byte order.
const char *cegas_constant_bytes(LLVMValueRef constant, size_t *len) {
  auto *data = dyn_cast<ConstantDataSequential>(unwrap(constant));
  StringRef bytes = data ? data->getRawDataValues() : StringRef();
  *len = bytes.size();
  return data ? bytes.data() : nullptr;
}

// What LLVM's mem2reg does, without the milliseconds its pass manager takes to set up, and in one round:
// a variable whose address was taken stays in memory even where the pointer to it was promoted away. It may
// be used through that pointer when its scope is over.
void cegas_promote(LLVMValueRef function) {
  auto *f = dyn_cast<Function>(unwrap(function));
  if (!f || f->isDeclaration())
    return;
  DominatorTree tree(*f);
  std::vector<AllocaInst *> variables;
  for (Instruction &inst : f->getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&inst))
      if (isAllocaPromotable(variable))
        variables.push_back(variable);
  if (!variables.empty())
    PromoteMemToReg(variables, tree);
}

// LLVM's reader verifies each module on the way to upgrading its debug info, which takes longer than the
// reading. What comes here was verified by clang or by the process that read it for us.
void cegas_trust_bitcode() {
  auto &options = cl::getRegisteredOptions();
  auto found = options.find("disable-auto-upgrade-debug-info");
  if (found != options.end())
    static_cast<cl::opt<bool> *>(found->second)->setValue(true);
}
}
