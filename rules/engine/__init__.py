"""Rules about the settings that an engine really runs with."""

from rules.engine import (
    batches,
    components,
    engine_files,
    images,
    kv_transfer,
    options,
    probes,
    serving,
    start_commands,
)
from rules.rule import Rule

RULES: tuple[Rule, ...] = (
    engine_files.engine_settings_accepted,
    options.flags_exist,
    start_commands.start_command_runs,
    images.image_brings_the_engine,
    components.graph_has_a_frontend,
    images.runtime_defects_avoided,
    images.runtime_matches_platform,
    components.component_type_known,
    probes.probed_port_named,
    components.engine_ports_unique,
    serving.crash_ends_the_container,
    serving.answer_parsers,
    serving.tool_calls_recovered,
    serving.structured_output_without_draft_model,
    kv_transfer.kv_transfer_is_safe,
    kv_transfer.transfer_buffer_holds_the_prompt,
    batches.sequence_length_within_model,
    batches.cuda_graphs_cover_batches,
    serving.kv_router_knows_the_cache,
    batches.benchmark_within_engine,
)
