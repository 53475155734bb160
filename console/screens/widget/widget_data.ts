import { api, ask, askWithEtag, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type Query, useQuery } from "../../data/query.ts";
import {
  changeWidget,
  getManagedWidget,
  listWidgetTexts,
  type Widget,
  type WidgetDetails,
} from "../../data/sdk.ts";
import type { Draft } from "./draft.ts";
import type { Texts } from "./widget_config.ts";

/** A widget, and what names its settings as they are. */
export type ShownWidget = WidgetDetails & { etag: string };

/** Reads one widget. */
export function useWidget(widget_id: string): Query<ShownWidget> {
  const path = { company_id: companyId(), widget_id };
  return useQuery(`widget ${widget_id}`, (signal) => askWithEtag(getManagedWidget, { path, signal }));
}

/** Reads the built-in texts of a kind; undefined until the kind is known. */
export function useBuiltInTexts(kind: WidgetDetails["kind"] | undefined): Texts | undefined {
  const path = { company_id: companyId() };
  const { data } = useQuery<Texts>(
    `widget texts ${kind}`,
    async (signal) =>
      kind ? (await ask(listWidgetTexts({ client: api(), path, query: { kind }, signal }))).texts : {},
  );
  return kind && data;
}

/** Stores what was entered, and returns it as it is stored. */
export function saveWidget({ widget_id, etag }: ShownWidget, draft: Draft): Promise<Widget> {
  const path = { company_id: companyId(), widget_id };
  const { config, ...others } = draft;
  const body = { ...others, config: { ...config } };
  return ask(changeWidget({ client: api(), path, body, headers: ifMatch(etag) }));
}
