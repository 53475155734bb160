import type { Restored } from "../../data/draft.ts";
import { Button } from "../button.tsx";
import { moment } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** Says that a form shows what was typed earlier, with a way to take it back. */
export function RestoredNote({ restored: { typedAt, discard } }: { restored: Restored }) {
  if (typedAt === undefined) return null;
  return (
    <p class="restored" role="status">
      {words().common.restored(moment(typedAt))}
      <Button kind="quiet" onPress={discard}>{words().common.discard}</Button>
    </p>
  );
}
