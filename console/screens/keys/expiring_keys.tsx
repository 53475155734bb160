import { link, may } from "../../data/company.ts";
import { moment } from "../../i18n/format.ts";
import { useFurtherKeys } from "./key_data.ts";
import { words } from "../../i18n/words.ts";

/** An owner is warned this long before a key ends. */
const WARN_MS = 14 * 86_400_000;

/** Warns an owner of keys that end soon; others may see no further key. */
export function ExpiringKeys() {
  return may("owner") ? <Warnings /> : null;
}

function Warnings() {
  const { rows = [] } = useFurtherKeys();
  const now = Date.now();
  return rows.map(({ key_id, name, is_active, expires_at }) => {
    const left = is_active && expires_at !== null ? Date.parse(expires_at) - now : 0;
    return left > 0 && left < WARN_MS && (
      <p key={key_id} class="notice warn" role="status">
        <a href={link(["keys", key_id])}>{words().common.keyEnds(name, moment(expires_at!))}</a>
      </p>
    );
  });
}
