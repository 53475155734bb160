import { count, phone } from "../../i18n/format.ts";
import { useSenders } from "./sender_list.ts";

/** The numbers of senders; how many they are, until they are known. */
export function SenderNumbers({ ids }: { ids: string[] }) {
  const { rows } = useSenders({});
  const known = rows?.filter(({ sender_id }) => ids.includes(sender_id)) ?? [];
  if (known.length === 0) return <>{count(ids.length)}</>;
  return (
    <span class="chips">
      {known.map(({ sender_id, number }) => <code key={sender_id}>{phone(number)}</code>)}
    </span>
  );
}
