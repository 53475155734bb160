import { words } from "../i18n/words.ts";

/** The product's own mark; it says nothing to screen readers. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 16h13M16 9l7 7-7 7" />
    </svg>
  );
}

/** The mark and the name, before the log-in. */
export function Product() {
  return (
    <p class="product">
      <Mark />
      {words().common.product}
    </p>
  );
}
