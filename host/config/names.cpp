// The words of every enumeration, in the order of the schema's choices.
#include "host/config/resolver.h"

namespace waferloom::config {

const char* to_string(LayerKind) { return "linear"; }

const char* to_string(Activation activation) { return activation == Activation::kRelu ? "relu" : "none"; }

const char* to_string(Loss) { return "softmax_cross_entropy"; }

const char* to_string(Initialisation initialisation) {
  switch (initialisation) {
    case Initialisation::kHeUniform:
      return "he_uniform";
    case Initialisation::kHeNormal:
      return "he_normal";
    case Initialisation::kXavierUniform:
      return "xavier_uniform";
  }
  return "";
}

const char* to_string(OptimiserKind) { return "sgd"; }

const char* to_string(LossScaleMode mode) { return mode == LossScaleMode::kDynamic ? "dynamic" : "static"; }

const char* to_string(Accumulate accumulate) { return accumulate == Accumulate::kFp16 ? "fp16" : "fp32"; }

const char* to_string(PartialBatch partial) { return partial == PartialBatch::kDrop ? "drop" : "keep"; }

const char* to_string(ReportSection section) {
  switch (section) {
    case ReportSection::kLoss:
      return "loss";
    case ReportSection::kCycles:
      return "cycles";
    case ReportSection::kUtilisation:
      return "utilisation";
    case ReportSection::kWavelets:
      return "wavelets";
    case ReportSection::kExtrapolation:
      return "extrapolation";
  }
  return "";
}

const char* to_string(Workload workload) { return workload == Workload::kNetwork ? "network" : "dense"; }

const char* to_string(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "forward";
    case Pass::kDelta:
      return "delta";
    case Pass::kGradient:
      return "gradient";
  }
  return "";
}

const char* to_string(Architecture architecture) {
  switch (architecture) {
    case Architecture::kGpt2: return "gpt2";
    case Architecture::kGptNeox: return "gpt_neox";
    case Architecture::kLlama: return "llama";
    case Architecture::kMistral: return "mistral";
    case Architecture::kMixtral: return "mixtral";
    case Architecture::kQwen2: return "qwen2";
    case Architecture::kGemma: return "gemma";
    case Architecture::kBert: return "bert";
  }
  return "";
}

const char* to_string(UpdateRule rule) { return rule == UpdateRule::kAdam ? "adam" : "sgd"; }

const char* to_string(Recompute recompute) {
  switch (recompute) {
    case Recompute::kAuto: return "auto";
    case Recompute::kAlways: return "always";
    case Recompute::kNever: return "never";
  }
  return "";
}

const char* to_string(FileKind kind) {
  switch (kind) {
    case FileKind::kRun:
      return "run";
    case FileKind::kKernelRun:
      return "kernel run";
    case FileKind::kMachine:
      return "machine";
    case FileKind::kModel:
      return "model";
    case FileKind::kCluster:
      return "cluster";
    case FileKind::kTransformer:
      return "transformer";
    case FileKind::kProjection:
      return "projection";
    case FileKind::kAccelerator:
      return "accelerator";
  }
  return "";
}

}  // namespace waferloom::config
