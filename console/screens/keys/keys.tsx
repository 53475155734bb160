import { isTest, link, may } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import { PageHead } from "../../components/page_head.tsx";
import { AccessKey } from "./access_key.tsx";
import { FurtherKeyView } from "./further_key.tsx";
import { FurtherKeys } from "./further_keys.tsx";
import { useCompanyKey } from "./key_data.ts";
import { KeyRequests } from "./key_requests.tsx";
import { PublishableKeys } from "./publishable_keys.tsx";
import { TestCompanySection } from "./test_company.tsx";
import { UsageSection } from "./usage.tsx";
import { keyWords } from "../../i18n/key_words.ts";

/** The company's keys, and what was done with them; or one of them, which the address names. */
export default function Keys() {
  const { key } = route.value.query;
  if (key === "own") return <OwnRequests />;
  if (key) return <FurtherKeyView key={key} keyId={key} />;
  return (
    <>
      <PageHead title={keyWords().title} />
      {!isTest() && <AccessKey />}
      {may("owner") && <FurtherKeys />}
      <UsageSection />
      {!isTest() && <PublishableKeys />}
      {!isTest() && may("owner") && <TestCompanySection />}
    </>
  );
}

/** The requests of the access key. */
function OwnRequests() {
  const { data } = useCompanyKey();
  const names = keyWords();
  return (
    <>
      <PageHead title={names.accessKey} above={{ title: names.title, href: link(["keys"]) }} />
      {data?.key && <KeyRequests keyId={data.key.key_id} />}
    </>
  );
}
