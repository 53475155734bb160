import { useEffect, useState } from "preact/hooks";
import { link } from "../../data/company.ts";
import type { WidgetDetails } from "../../data/sdk.ts";
import { Copy } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/words.ts";
import type { TestOnPage } from "./test_on_page.tsx";

/** The line that puts the widget on a page, and a bookmark to try it there. */
export function EmbedTab({ widget: { embed, name, widget_id } }: { widget: WidgetDetails }) {
  const names = words().widget;
  const [parts, setParts] = useState<{ TestOnPage: typeof TestOnPage }>();

  useEffect(() => void import("./test_on_page.tsx").then(setParts), []);

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
            {parts && <parts.TestOnPage {...{ embed, name }} />}
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
