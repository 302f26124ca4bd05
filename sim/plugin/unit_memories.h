// Part of unit_glue.h, which includes it: the memories of instances behind unit_abi.h. Not for inclusion by anything else.
namespace wl_glue {

inline uint32_t memory_count(const WlArena* a) { return static_cast<uint32_t>(a->table.size()); }
inline const WlMemory* memory(const WlArena* a, uint32_t m) { return &a->table[m]; }
inline void* self_of(const WlArena* a, uint32_t i, uint32_t m) { return a->memory_self[i * a->kinds.size() + m]; }
inline char* word_of(const WlArena* a, uint32_t i, const WlRegister* array, uint32_t word) {
  return reinterpret_cast<char*>(a->root(i)) + array->offset + size_t(array->element_bytes) * word;
}
inline uint64_t memory_get(const WlArena* a, uint32_t i, uint32_t m, uint32_t word) {
  const MemoryKind& kind = a->kinds[m];
  if (kind.array) return load_word(word_of(a, i, kind.array, word), kind.array->element_bytes);
  return kind.ops->get(self_of(a, i, m), word);
}
inline void memory_set(WlArena* a, uint32_t i, uint32_t m, uint32_t word, uint64_t value) {
  const MemoryKind& kind = a->kinds[m];
  if (kind.array) {
    std::memcpy(word_of(a, i, kind.array, word), &value, std::min(kind.array->element_bytes, 8u));
  } else {
    kind.ops->set(self_of(a, i, m), word, value);
  }
}
inline const WlImage* image_create(WlArena* a, const uint64_t* words, uint32_t n) {
  a->images.push_back(std::make_unique<WlImage>());
  a->images.back()->words.assign(words, words + n);
  return a->images.back().get();
}
inline void image_load(WlArena* a, uint32_t i, uint32_t m, uint32_t first, const WlImage* image) {
  const MemoryKind& kind = a->kinds[m];
  const uint32_t n = static_cast<uint32_t>(image->words.size());
  if (!kind.array) {
    kind.ops->map_image(self_of(a, i, m), first, image->words.data(), n);
    return;
  }
  for (uint32_t w = 0; w < n; ++w) memory_set(a, i, m, first + w, image->words[w]);
}
inline void image_load_list(WlArena* a, const uint32_t* list, uint32_t n, uint32_t m, uint32_t first, const WlImage* image) {
  const MemoryKind& kind = a->kinds[m];
  const bool share = !kind.array && kind.ops->clone && kind.ops->map_like;
  void* before = nullptr;
  for (uint32_t k = 0; k < n; ++k) {
    if (!share || k == 0) {
      if (share && n > 1) before = kind.ops->clone(self_of(a, list[0], m));
      image_load(a, list[k], m, first, image);
      continue;
    }
    kind.ops->map_like(self_of(a, list[k], m), before, self_of(a, list[0], m), first, image->words.data(), static_cast<uint32_t>(image->words.size()));
  }
  if (before) kind.ops->destroy(before);
}
inline uint64_t memory_block(const WlArena* a, uint32_t i, uint32_t m, uint32_t first, uint32_t n, uint64_t* words) {
  const MemoryKind& kind = a->kinds[m];
  if (!kind.array && kind.ops->block) return kind.ops->block(self_of(a, i, m), first, n, words);
  for (uint32_t w = 0; w < n; ++w) words[w] = memory_get(a, i, m, first + w);
  return 1;
}
inline uint64_t memory_private_bytes(const WlArena* a, uint32_t i) {
  uint64_t total = 0;
  for (uint32_t m = 0; m < a->kinds.size(); ++m) {
    if (!a->kinds[m].array) total += a->kinds[m].ops->private_bytes(self_of(a, i, m));
  }
  return total;
}
inline uint64_t memory_changes(const WlArena* a, uint32_t i) {
  uint64_t total = 0;
  for (uint32_t m = 0; m < a->kinds.size(); ++m) {
    if (!a->kinds[m].array) total += a->kinds[m].ops->changes(self_of(a, i, m));
  }
  return total;
}

}  // namespace wl_glue
