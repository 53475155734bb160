import { link } from "../../data/company.ts";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { FurtherKeyView } from "./further_key.tsx";
import { OWN_KEY, useCompanyKey } from "./key_data.ts";
import { KeyRequests } from "./key_requests.tsx";
import { keyWords } from "../../i18n/key_words.ts";

/** One key of the company, and its requests. */
export default function KeyScreen({ params: { key_id } }: { params: { key_id?: string } }) {
  return key_id === OWN_KEY ? <OwnRequests /> : <FurtherKeyView keyId={key_id!} />;
}

/** The requests of the access key. */
function OwnRequests() {
  const { data, problem, reload } = useCompanyKey();
  const names = keyWords();
  return (
    <>
      <PageHead title={names.accessKey} above={{ title: names.title, href: link(["keys"]) }} />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {data?.key && <KeyRequests keyId={data.key.key_id} />}
    </>
  );
}
