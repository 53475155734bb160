import { useState } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { Empty } from "../../../components/empty.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { PageHead } from "../../../components/page_head.tsx";
import { Notice } from "../../../components/notice.tsx";
import type { ContactFile } from "./contact_file.ts";
import { FileField } from "../steps/file_field.tsx";
import { SendToAudience, SendUpload } from "./send_upload.tsx";
import { useUpload } from "./upload.ts";
import { words } from "../../../i18n/words.ts";

/** An upload whose file broke off: takes the file again and goes on. */
export function ContinueUpload({ uploadId }: { uploadId: string }) {
  const { data: upload, problem, reload } = useUpload(uploadId);
  const [file, setFile] = useState<ContactFile>();
  const names = words().compose;
  if (upload === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const { campaign_name, campaign_id, state, rows, stopped, audience } = upload;
  if (file) return <SendUpload uploadId={uploadId} people={file} name={campaign_name} />;
  if (audience && state !== "completed") {
    return <SendToAudience uploadId={uploadId} name={campaign_name} isNew={false} />;
  }
  return (
    <>
      <PageHead title={campaign_name} above={{ title: names.title, href: link(["compose"]) }} />
      {state === "completed"
        ? (
          <Empty
            title={names.done}
            action={campaign_id && (
              <ButtonLink kind="main" href={link(["campaigns", campaign_id])}>{names.toCampaign}</ButtonLink>
            )}
          />
        )
        : (
          <>
            <Notice title={names.stopped}>
              {stopped && words().problems[stopped.code]} {names.stoppedHelp(rows)}
            </Notice>
            <p class="help">{names.sameFile}</p>
            <FileField onFile={setFile} canType={false} />
          </>
        )}
    </>
  );
}
