import { HOME_CELL } from "../../supabase/functions/_shared/cells.ts";
import { servicesOfCell } from "../../supabase/functions/_shared/services.ts";
import type { TestServices } from "../setup/stack/services.ts";

/** Returns the counted events that name nothing of ours. Cell 0 counts what no cell knows. */
export async function foreignEvents(
  { services }: Pick<TestServices, "services">,
): Promise<{ reason: string; events: number }[]> {
  const rows = await servicesOfCell(services, HOME_CELL).sql<{ reason: string; events: number }[]>`
    select reason, events::int from outbound.foreign_events`;
  return rows.map((row) => ({ ...row }));
}
