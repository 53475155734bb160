import { link } from "../../data/company.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { count } from "../../i18n/format.ts";
import { useUnfinishedUploads } from "./upload.ts";
import { words } from "./words.ts";

/** The uploads whose file broke off. */
export function Unfinished() {
  const uploads = useUnfinishedUploads();
  const names = words();
  return (
    <>
      {uploads.map(({ upload_id, campaign_name, rows }) => (
        <Notice
          key={upload_id}
          title={names.unfinished(campaign_name, count(rows))}
          actions={<ButtonLink href={link(["compose"], { upload: upload_id })}>{names.continue}</ButtonLink>}
        >
          {names.sameFile}
        </Notice>
      ))}
    </>
  );
}
