-- no transaction

-- The upload that a campaign was made by (its copy as a draft).
create index concurrently campaign_uploads_campaign_idx on outbound.campaign_uploads (company_id, campaign_id)
  where campaign_id is not null;

-- By a label; terms carry the company.
create index concurrently conversations_labels_idx on outbound.conversations using gin (outbound.tag_terms(company_id, labels))
  where labels <> '{}';

-- The chats of one person.
create index concurrently conversations_contact_idx on outbound.conversations (company_id, contact_id, created_at)
  where contact_id is not null;

-- A part of a text (search_messages).
create index concurrently conversation_messages_text_idx on outbound.conversation_messages
  using gin (outbound.search_terms(company_id, left(text, 500)));

-- A part of a text (search_messages).
create index concurrently contact_messages_text_idx on outbound.contact_messages
  using gin (outbound.search_terms(company_id, left(text, 500))) where text is not null;

-- By a label; terms carry the company.
create index concurrently contact_threads_labels_idx on outbound.contact_threads using gin (outbound.tag_terms(company_id, labels))
  where labels <> '{}';

-- The changes of one thing (contact_timeline).
create index concurrently audit_log_subject_idx on outbound.audit_log (company_id, subject, at) where subject is not null;

-- The hand-offs of one person (handoffs_of_person).
create index concurrently handoffs_email_idx on outbound.handoffs (company_id, lower(contact ->> 'email')) where contact is not null;

create index concurrently handoffs_number_idx
  on outbound.handoffs (company_id, ltrim(regexp_replace(contact ->> 'number', '[^0-9]', '', 'g'), '0'))
  where contact is not null;
