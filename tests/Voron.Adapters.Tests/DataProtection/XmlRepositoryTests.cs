using System.Xml.Linq;
using FluentAssertions;
using Microsoft.AspNetCore.DataProtection.Repositories;
using Voron.Storage;
using Voron.Storage.DataProtection;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Adapters.Tests.DataProtection;

/// <summary>The contract of <see cref="IXmlRepository"/> and <see cref="IDeletableXmlRepository"/>.</summary>
public sealed class XmlRepositoryTests : IDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });
    private readonly VoronXmlRepository _repository;

    public XmlRepositoryTests() => _repository = new VoronXmlRepository(_environment);

    public void Dispose() => _environment.Dispose();

    [Fact]
    public void An_empty_repository_has_no_elements() => _repository.GetAllElements().Should().BeEmpty();

    [Fact]
    public void Elements_come_back_as_they_were_in_their_order()
    {
        XElement[] elements =
        [
            new("key", new XAttribute("id", "ä\n\"<"), new XElement("inner", " two\r\nlines\t& <![CDATA[ "), new XComment("c")),
            new(XName.Get("other", "urn:x"), new XAttribute("xmlns", "urn:x"), new XElement(XName.Get("empty", "urn:x"))),
            XElement.Parse("<a>\n  <b />\n</a>", System.Xml.Linq.LoadOptions.PreserveWhitespace),
        ];
        foreach (XElement element in elements)
        {
            _repository.StoreElement(element, "key-1");
        }

        XElement[] read = [.. _repository.GetAllElements()];
        read.Should().HaveCount(3);
        read.Zip(elements).Should().OnlyContain(static pair => XNode.DeepEquals(pair.First, pair.Second));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("../../etc/passwd")]
    [InlineData("half a pair \ud800")]
    public void Any_friendly_name_is_taken(string? name)
    {
        _repository.StoreElement(new XElement("a"), name!);
        _repository.StoreElement(new XElement("b"), new string('ä', 5000));
        _repository.GetAllElements().Select(static element => element.Name.LocalName).Should().Equal("a", "b");
    }

    [Fact]
    public void Chosen_elements_are_deleted_and_others_stay()
    {
        for (int i = 0; i < 5; i++)
        {
            _repository.StoreElement(new XElement("e", i), "e");
        }

        _repository.DeleteElements(static all =>
        {
            all.Should().HaveCount(5).And.OnlyContain(static one => one.DeletionOrder == null);
            all.Single(static one => (int)one.Element == 4).DeletionOrder = 2;
            all.Single(static one => (int)one.Element == 1).DeletionOrder = 1;
        }).Should().BeTrue();
        _repository.GetAllElements().Select(static element => (int)element).Should().Equal(0, 2, 3);
        _repository.StoreElement(new XElement("e", 9), "e");
        _repository.GetAllElements().Select(static element => (int)element).Should().Equal(0, 2, 3, 9);
        _repository.DeleteElements(static _ => { }).Should().BeTrue();
        _repository.GetAllElements().Should().HaveCount(4);
    }

    [Fact]
    public void A_choice_that_fails_deletes_nothing()
    {
        _repository.StoreElement(new XElement("e"), "e");
        Action choice = () => _repository.DeleteElements(static all =>
        {
            all.Single().DeletionOrder = 1;
            throw new NotSupportedException();
        });
        choice.Should().Throw<NotSupportedException>();
        _repository.GetAllElements().Should().ContainSingle();
    }

    [Fact]
    public async Task Many_threads_store_without_loss()
    {
        await Parallel.ForAsync(0, 200, (i, _) =>
        {
            _repository.StoreElement(new XElement("e", i), "e");
            return ValueTask.CompletedTask;
        });
        _repository.GetAllElements().Select(static element => (int)element).Should().BeEquivalentTo(Enumerable.Range(0, 200));
    }

    [Fact]
    public void Elements_are_there_after_a_reopen()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment first = StorageEnvironment.Open(folder.Path))
        {
            new VoronXmlRepository(first).StoreElement(new XElement("e"), "e");
        }

        using StorageEnvironment second = StorageEnvironment.Open(folder.Path);
        new VoronXmlRepository(second).GetAllElements().Should().ContainSingle();
    }

    [Fact]
    public void What_is_not_of_data_protection_is_named()
    {
        using (WriteTransaction transaction = _environment.BeginWrite())
        {
            transaction.OpenTree(VoronXmlRepository.DefaultTreeName).Put("user:42"u8, "no xml"u8);
            transaction.Commit();
        }

        ((Action)(() => _repository.GetAllElements())).Should().Throw<InvalidDataException>().WithMessage("*user:42*data-protection-keys*");
        ((Action)(() => _repository.StoreElement(new XElement("e"), "e"))).Should().Throw<InvalidDataException>();
    }
}
