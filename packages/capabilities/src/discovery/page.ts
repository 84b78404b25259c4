/** A part of a list, and where it stands in the whole. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** `11-20 of 57`. */
  readonly showing: string;
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** The page with this number, from 1. A page beyond the last is empty and says so. */
export function pageOf<Item>(all: readonly Item[], page: number, size: number): Page<Item> {
  const total = all.length;
  const first = (page - 1) * size;
  const items = all.slice(first, first + size);
  const range = items.length <= 1 ? `${items.length === 0 ? 0 : first + 1}` : `${first + 1}-${first + items.length}`;
  return { items, showing: `${range} of ${total}`, total, page, pages: Math.ceil(total / size) };
}
