"""One cheap call, to see whether the model's server, its key and the model's name are right."""

from pendtui.config import Config


async def probe(config: Config) -> str:
    """Ask the server that the settings name for a word or two, and say how it went.

    Raises ConfigError where the settings name none, and CallFailedError where no answer came.
    """
    from pendtui.desk.model.client import ModelClient
    from pendtui.desk.model.settings import model_secret, model_settings

    settings = model_settings(config)
    client = ModelClient(settings, model_secret(config, settings), config.server_memory_path())
    try:
        call = await client.probe()
    finally:
        await client.aclose()
    return f"{settings.title}, {settings.model} at {settings.host}: answered in {call.seconds:.1f} s"
