// clang as a function: the driver makes one compiler call of a command, and the call's module is handed over in memory.
// What is asked of the file system, by both, is written down as `lookups.c` does it for a clang that is a process.
// Used only by built_in.rs. Runs in a process of its own, which ends with the unit: nothing is freed.

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Tool.h"
#include "clang/Driver/ToolChain.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "llvm-c/Types.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace clang;

namespace {

// The real file system, with a record of what it was asked for: `+path` or `-path`, each with a zero behind it. What is
// neither a file nor a folder is refused: to open a pipe may block for ever, and a device may never end.
class Heard : public llvm::vfs::ProxyFileSystem {
public:
  explicit Heard(std::string &log) : ProxyFileSystem(llvm::vfs::getRealFileSystem()), log(log) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override {
    auto found = ProxyFileSystem::status(path);
    told(path, bool(found));
    if (found && is_endless(*found))
      return std::make_error_code(std::errc::not_supported);
    return found;
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override {
    auto there = ProxyFileSystem::status(path);
    if (there && is_endless(*there)) {
      told(path, true);
      return std::make_error_code(std::errc::not_supported);
    }
    auto found = ProxyFileSystem::openFileForRead(path);
    told(path, bool(found));
    return found;
  }

  bool exists(const llvm::Twine &path) override {
    bool found = ProxyFileSystem::exists(path);
    told(path, found);
    return found;
  }

  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path, std::error_code &error) override {
    auto found = ProxyFileSystem::dir_begin(path, error);
    told(path, !error);
    return found;
  }

private:
  std::string &log;

  static bool is_endless(const llvm::vfs::Status &there) {
    auto type = there.getType();
    return type != llvm::sys::fs::file_type::regular_file && type != llvm::sys::fs::file_type::directory_file &&
           there.getName() != "/dev/null";
  }

  void told(const llvm::Twine &path, bool found) {
    log += found ? '+' : '-';
    llvm::SmallString<256> text;
    log += path.toStringRef(text);
    log += '\0';
  }
};

// From C to a module, without a back end.
class Generate : public ASTFrontendAction {
public:
  explicit Generate(llvm::LLVMContext &context) : context(context) {}

  std::unique_ptr<llvm::Module> module;

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef input) override {
    generator = CreateLLVMCodeGen(compiler.getDiagnostics(), input, &compiler.getVirtualFileSystem(),
                                  compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                  compiler.getCodeGenOpts(), context);
    return std::unique_ptr<ASTConsumer>(generator);
  }

  // Here the consumer still lives.
  void EndSourceFileAction() override {
    if (generator && !getCompilerInstance().getDiagnostics().hasErrorOccurred())
      module.reset(generator->ReleaseModule());
  }

private:
  llvm::LLVMContext &context;
  CodeGenerator *generator = nullptr;
};

// What needs more than the front end: those calls are made to a clang that is a process.
bool is_plain(const CompilerInvocation &call) {
  const FrontendOptions &front = call.getFrontendOpts();
  const CodeGenOptions &code = call.getCodeGenOpts();
  return front.ProgramAction == frontend::EmitBC && front.Inputs.size() == 1 &&
         front.Inputs[0].getKind().getFormat() == InputKind::Source &&
         front.Inputs[0].getKind().getLanguage() == Language::C && front.Plugins.empty() &&
         front.AddPluginActions.empty() && front.ActionName.empty() && front.ASTMergeFiles.empty() &&
         front.LLVMArgs.empty() && !code.CoverageMapping && code.LinkBitcodeFiles.empty() &&
         code.OffloadObjects.empty() &&
         code.getEmbedBitcode() == CodeGenOptions::Embed_Off && !call.getLangOpts().OpenMP;
}

void fatal(void *, const char *message, bool) {
  llvm::errs() << "fatal error: error in backend: " << message << "\n";
  _Exit(70);
}

} // namespace

// clang has this in one file with all of the optimiser, whose set-up would take longer than most units. What it does, for
// code on other devices, is not plain.
namespace clang {
void EmbedObject(llvm::Module *, const CodeGenOptions &, DiagnosticsEngine &) {}
} // namespace clang

extern "C" {

// What came of a call; built_in.rs has the same numbers.
enum Outcome : int { Made = 0, Refused = 1, NotPlain = 2 };

// Compiles as `clang` (the installed one, which says where its headers are) would with these arguments. `heard` gets
// the record of what was looked for, which lives as long as the process.
int cegas_clang(const char *clang, size_t count, const char *const *arguments, LLVMContextRef context,
                LLVMModuleRef *module, const char **heard, size_t *heard_bytes) {
  noteBottomOfStack();
  llvm::install_fatal_error_handler(fatal);
  auto &log = *new std::string;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files(new Heard(log));

  llvm::SmallVector<const char *, 64> words{clang};
  words.append(arguments, arguments + count);
  llvm::IntrusiveRefCntPtr<DiagnosticOptions> options(CreateAndPopulateDiagOpts(words).release());
  auto *printer = new TextDiagnosticPrinter(llvm::errs(), &*options);
  printer->setPrefix(std::string(llvm::sys::path::stem(clang)));
  DiagnosticsEngine driver_says(new DiagnosticIDs, &*options, printer);
  ProcessWarningOptions(driver_says, *options, /*ReportDiags=*/false);
  driver::Driver driver(clang, llvm::sys::getDefaultTargetTriple(), driver_says, "clang LLVM compiler", files);
  driver.setTargetAndMode(driver::ToolChain::getTargetAndModeFromProgramName(clang));
  std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(words));
  if (!compilation || driver_says.hasErrorOccurred() || compilation->containsError())
    return Refused;
  const driver::JobList &jobs = compilation->getJobs();
  if (jobs.size() != 1 || StringRef(jobs.begin()->getCreator().getName()) != "clang")
    return NotPlain;

  auto &compiler = *new CompilerInstance;
  auto call = jobs.begin()->getArguments();
  if (call.empty() || StringRef(call.front()) != "-cc1")
    return NotPlain;
  bool understood = CompilerInvocation::CreateFromArgs(compiler.getInvocation(),
                                                       llvm::ArrayRef(call).drop_front(), driver_says, clang);
  if (!understood)
    return Refused;
  if (!is_plain(compiler.getInvocation()))
    return NotPlain;
  compiler.createDiagnostics();
  compiler.createFileManager(createVFSFromCompilerInvocation(compiler.getInvocation(),
                                                             compiler.getDiagnostics(), files));
  auto *in = llvm::unwrap(context);
  in->setDiscardValueNames(compiler.getCodeGenOpts().DiscardValueNames);
  Generate generate(*in);
  if (!compiler.ExecuteAction(generate) || !generate.module)
    return Refused;
  llvm::errs().flush();
  *module = llvm::wrap(generate.module.release());
  *heard = log.data();
  *heard_bytes = log.size();
  return Made;
}
}
