import { link } from "../../../data/company.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { Notice } from "../../../components/notice.tsx";
import { useUnfinishedUploads } from "./upload.ts";
import { words } from "../../../i18n/words.ts";

/** The uploads whose file broke off. */
export function Unfinished() {
  const uploads = useUnfinishedUploads();
  const names = words().compose;
  return (
    <>
      {uploads.map(({ upload_id, campaign_name, rows, members }) => (
        <Notice
          key={upload_id}
          title={names.unfinished(campaign_name, rows)}
          actions={<ButtonLink href={link(["compose"], { upload: upload_id })}>{names.continue}</ButtonLink>}
        >
          {members === null && names.sameFile}
        </Notice>
      ))}
    </>
  );
}
