-- What comes of a voice session besides talk: a person takes over, and what the visitor thought of it. The session
-- itself is kept by the voice platform under conversation_id.
create table outbound.handoffs (
  company_id uuid not null,
  id uuid not null,
  widget_id uuid not null,
  conversation_id text not null,
  reason text,
  contact jsonb,
  -- Where visitor and operator meet at the real-time platform.
  room text not null,
  status text not null default 'waiting',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint handoffs_pkey primary key (company_id, id),
  constraint handoffs_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint handoffs_status_check check (status in ('waiting', 'joined', 'ended')),
  constraint handoffs_ended_check check ((status = 'ended') = (ended_at is not null))
);
create index handoffs_recent_idx on outbound.handoffs (company_id, created_at desc, id);
alter table outbound.handoffs enable row level security;

create table outbound.voice_feedback (
  company_id uuid not null,
  conversation_id text not null,
  widget_id uuid not null,
  rating int not null,
  comment text,
  created_at timestamptz not null default now(),
  constraint voice_feedback_pkey primary key (company_id, widget_id, conversation_id),
  constraint voice_feedback_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint voice_feedback_rating_check check (rating between 1 and 5)
);
alter table outbound.voice_feedback enable row level security;

-- Stores a wish to talk to a person, and tells the company's webhook.
create function outbound.request_handoff(
  p_company_id uuid, p_id uuid, p_widget_id uuid, p_conversation_id text, p_reason text, p_contact jsonb, p_room text
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.handoffs (company_id, id, widget_id, conversation_id, reason, contact, room)
  values (p_company_id, p_id, p_widget_id, p_conversation_id, p_reason, p_contact, p_room);
  perform outbound.write_event(p_company_id, 'handoff.requested', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', p_widget_id,
    'conversation_id', p_conversation_id, 'reason', p_reason, 'contact', p_contact, 'room', p_room,
    'created_at', outbound.iso_time(now())));
end
$$;
revoke execute on function outbound.request_handoff from public;

-- A person of the company takes over. Answers the room, or nothing when there is no such handoff, or it has ended.
create function outbound.join_handoff(p_company_id uuid, p_id uuid)
returns text
language sql security invoker set search_path = ''
as $$
  update outbound.handoffs as h set status = 'joined'
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended'
  returning h.room
$$;
revoke execute on function outbound.join_handoff from public;

-- Ends a handoff of a widget; ending it again changes nothing. Answers the room, or nothing when there is no such handoff.
create function outbound.end_handoff(p_company_id uuid, p_widget_id uuid, p_id uuid)
returns text
language sql security invoker set search_path = ''
as $$
  update outbound.handoffs as h set status = 'ended', ended_at = coalesce(h.ended_at, now())
  where h.company_id = p_company_id and h.widget_id = p_widget_id and h.id = p_id
  returning h.room
$$;
revoke execute on function outbound.end_handoff from public;
