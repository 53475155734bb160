import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { useQuery } from "../../data/query.ts";
import { type Condition, countAudience } from "../../data/sdk.ts";
import { ErrorNotice } from "../error_notice.tsx";
import { Figure, Figures } from "../facts.tsx";
import { count } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** Long enough to go on typing. */
const QUIET_MS = 400;

/** How many people meet a condition or belong to a list now, and who of them can be reached. */
export function LiveCount({ condition, listId }: {
  condition?: Condition | undefined;
  listId?: string | undefined;
}) {
  const asked = JSON.stringify(listId ? { list_id: listId } : condition && { condition });
  const [settled, setSettled] = useState(asked);
  const names = words().condition;
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asked), QUIET_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  const path = { company_id: companyId() };
  const { data, problem, isReading } = useQuery(
    `audience ${path.company_id} ${settled}`,
    async (signal) =>
      settled === undefined
        ? undefined
        : await ask(countAudience({ client: api(), path, body: JSON.parse(settled), signal })),
  );
  if (asked === undefined) return <p class="help" role="status">{names.incomplete}</p>;
  if (problem) return <ErrorNotice problem={problem} />;
  const isOld = isReading || settled !== asked;
  const shown = (value: number | undefined) => value === undefined ? "…" : count(value);
  return (
    <div role="status" aria-busy={isOld} class={isOld ? "counting" : undefined}>
      <Figures>
        <Figure name={names.people} value={shown(data?.count)} />
        <Figure name={names.reachable} value={shown(data?.reachable)} note={names.reachableNote} />
        <Figure name={words().contacts.suppressions} value={shown(data?.opted_out)} />
        <Figure name={names.withoutAddress} value={shown(data?.without_address)} />
      </Figures>
    </div>
  );
}
