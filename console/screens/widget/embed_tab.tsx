import { link } from "../../data/company.ts";
import type { WidgetDetails } from "../../data/sdk.ts";
import { Copy } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/words.ts";

/** The line that puts the widget on a page. */
export function EmbedTab({ widget: { embed, widget_id } }: { widget: WidgetDetails }) {
  const names = words().widget;
  return (
    <div class="form">
      {embed
        ? (
          <>
            <p>{names.embedHelp}</p>
            <div class="json">
              <Copy text={embed} label={names.copyEmbed} />
              <pre tabIndex={0} role="region" aria-label={names.embed} class="wrapped">{embed}</pre>
            </div>
          </>
        )
        : (
          <Empty title={names.noEmbed} action={<a href={link(["keys"])}>{names.toKeys}</a>}>
            {names.noEmbedHelp}
          </Empty>
        )}
      <Facts>
        <Fact name={names.widgetId}>
          <span class="with-copy">
            <code>{widget_id}</code>
            <Copy text={widget_id} />
          </span>
        </Fact>
      </Facts>
    </div>
  );
}
