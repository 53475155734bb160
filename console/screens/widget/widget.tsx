import { link, may } from "../../data/company.ts";
import { askWithEtag, ifMatch } from "../../data/client.ts";
import { changeWidget } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { companyId } from "../../data/company.ts";
import { Editor } from "./editor.tsx";
import { draftOf } from "./draft.ts";
import { type ShownWidget, useBuiltInTexts, useWidget } from "./widget_data.ts";
import { words } from "../../i18n/words.ts";

/** One widget: how it looks, what it says, where it may stand, and the line that puts it there. */
export default function WidgetScreen({ params }: { params: Record<string, string> }) {
  const { data: widget, problem, reload } = useWidget(params.widget_id!);
  const builtIn = useBuiltInTexts(widget?.kind);
  if (widget === undefined || builtIn === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const { kind, name, is_active, widget_id } = widget;
  return (
    <>
      <PageHead
        title={name}
        above={{ title: words().widgets.title, href: link(["widgets"]) }}
        badge={<StatusBadge status={is_active ? "active" : "off"} />}
        facts={
          <>
            <span>{words().widgets.kinds[kind]}</span>
            <a href={link(["audit"], { subject: widget_id })}>{words().widget.history}</a>
          </>
        }
        actions={may("operator") && (
          is_active
            ? (
              <Button kind="danger" icon="stop" onPress={() => switchOff(widget, reload)}>
                {words().widget.off}
              </Button>
            )
            : <Button icon="play" onPress={() => switchTo(widget, true, reload)}>{words().widget.on}</Button>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <Editor
        key={widget_id + JSON.stringify(draftOf(widget))}
        widget={widget}
        builtIn={builtIn}
        onSaved={reload}
      />
    </>
  );
}

async function switchOff(widget: ShownWidget, onDone: () => void): Promise<void> {
  const { offTitle, offText, off } = words().widget;
  if (!await confirm({ title: offTitle, text: offText, action: off, isDanger: true })) return;
  await switchTo(widget, false, onDone);
}

async function switchTo(
  { widget_id, etag }: Pick<ShownWidget, "widget_id" | "etag">,
  is_active: boolean,
  onDone: () => void,
): Promise<void> {
  const path = { company_id: companyId(), widget_id };
  const options = { path, body: { is_active }, headers: ifMatch(etag) };
  const done = await attempt(() => askWithEtag(changeWidget, options));
  if (done) {
    const { isOn, isOff } = words().widget;
    toast(is_active ? isOn : isOff, {
      about: widget_id,
      undo: () => switchTo({ widget_id, etag: done.etag }, !is_active, onDone),
    });
  }
  onDone();
}
