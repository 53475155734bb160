import { words } from "../../../i18n/words.ts";

const SKELETON_ROWS = 5;

/** Stands for a list that is read. */
export function Skeleton() {
  return (
    <div class="rows" role="status">
      <span class="unseen">{words().common.loading}</span>
      <ul aria-hidden="true">
        {Array.from({ length: SKELETON_ROWS }, (_, row) => (
          <li key={row} class="inbox-row skeleton">
            <span />
            <span />
          </li>
        ))}
      </ul>
    </div>
  );
}
