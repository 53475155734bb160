import { endsInS, stayActive } from "../data/session/idle.ts";
import { Button } from "../components/button.tsx";
import { words } from "../i18n/words.ts";

/** Says that the session is about to end. */
export function IdleWarning() {
  if (endsInS.value === undefined) return null;
  return (
    <div class="notice warn idle-warning" role="alert">
      <p>{words().common.endsSoon(endsInS.value)}</p>
      <Button kind="main" onPress={stayActive}>{words().common.stay}</Button>
    </div>
  );
}
